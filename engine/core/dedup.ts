import { assert } from '../base/assert.ts';
import type { Nanos } from '../base/nanos.ts';
import { MapDedupWindow } from './dedup-map.ts';
import type { DedupKind, DedupWindow } from './dedup-window.ts';

/**
 * An empty window of the kind asked for. `hashSeed` (32 bits) keys the hash per process, so that ids cannot be
 * chosen to collide; no result depends on it.
 */
export function openDedupWindow(kind: DedupKind, windowNs: Nanos, hashSeed: number): DedupWindow {
  assert(kind === 'map' || kind === 'compact', `dedup kind ${kind}: map or compact`);
  return new MapDedupWindow(windowNs, hashSeed);
}
