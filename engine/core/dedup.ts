import { unreachable } from '../base/assert.ts';
import type { Nanos } from '../base/nanos.ts';
import { CompactDedupWindow } from './dedup-compact.ts';
import { MapDedupWindow } from './dedup-map.ts';
import type { DedupKind, DedupWindow } from './dedup-window.ts';

/**
 * An empty window of the kind asked for. `hashSeed` (32 bits) keys the hash per process, so that ids cannot be
 * chosen to collide; no result depends on it.
 *
 * Both kinds answer alike. What is over is decided by the time passed in; `setWindow`, which gets none, first forgets
 * whatever was over at the latest `insert` or `expire`, so call `expire` at the batch's time before it.
 */
export function openDedupWindow(kind: DedupKind, windowNs: Nanos, hashSeed: number): DedupWindow {
  switch (kind) {
    case 'map':
      return new MapDedupWindow(windowNs, hashSeed);
    case 'compact':
      return new CompactDedupWindow(windowNs, hashSeed);
    default:
      return unreachable(kind);
  }
}
