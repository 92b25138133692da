import type { Nanos } from '../base/nanos.ts';
import { second } from '../base/nanos.ts';
import type { Leftovers, WrittenField } from './option-reader.ts';
import { isBlock, OptionReader, OptionsError } from './option-reader.ts';
import { unusedJetStreamKeys } from './unused-keys.ts';

/** What JetStream may use. Of limits, null is none. */
export interface JetStreamOptions {
  readonly enabled: boolean;
  readonly storeDir: string | null;
  readonly maxMemoryBytes: number | null;
  readonly maxFileBytes: number | null;
  readonly domain: string | null;
  /** Whether unknown fields in API requests are refused; null leaves it to the release that is announced (spec 2.1). */
  readonly strict: boolean | null;
  readonly limits: {
    readonly maxAckPending: number | null;
    readonly duplicateWindowNs: Nanos | null;
    readonly maxRequestBatch: number | null;
  };
}

export interface WrittenJetStream {
  /** What the file says about it: true when there is a block, null when the file is silent. */
  readonly enabled: boolean | null;
  readonly options: Omit<JetStreamOptions, 'enabled'>;
  readonly sync: 'always' | 'interval';
  readonly syncIntervalNs: Nanos;
}

const syncIntervalDefaultNs: Nanos = 120 * second;
const sizeMax = Number.MAX_SAFE_INTEGER;
const encryptionKeys = [
  'cipher',
  'key',
  'ek',
  'encryption_key',
  'prev_key',
  'prev_encryption_key',
  'tpm',
] as const;

/** Reads `jetstream: enabled | disabled | true | false` or its block. Throws OptionsError. */
export function readJetStream(file: OptionReader, leftovers: Leftovers): WrittenJetStream {
  const written = file.find('jetstream');
  const isOpen = written !== null && isBlock(written.value);
  const block = isOpen ? file.block('jetstream') : new OptionReader('jetstream.', {});
  const enabledKey = block.boolean('enabled', 'enable');
  refuseEncryption(block);
  const sync = readSync(block);
  const options = {
    storeDir: block.text('store_dir', 'storedir'),
    maxMemoryBytes: sizeLimit(block, 'max_memory_store', 'max_mem_store', 'max_mem'),
    maxFileBytes: sizeLimit(block, 'max_file_store', 'max_file'),
    domain: block.text('domain'),
    strict: block.boolean('strict'),
    limits: readLimits(block.block('limits'), leftovers),
  };
  block.leaveOut(unusedJetStreamKeys, leftovers);
  block.finish(leftovers);
  return {
    enabled: isOpen ? (enabledKey ?? true) : readSwitch(written),
    options,
    ...sync,
  };
}

function readSwitch(written: WrittenField | null): boolean | null {
  if (written === null) return null;
  const { field, value } = written;
  if (value === true || value === 'enabled' || value === 'enable') return true;
  if (value === false || value === 'disabled' || value === 'disable') return false;
  throw new OptionsError(field, value, 'must be enabled, disabled or a block { … }');
}

function readLimits(block: OptionReader, leftovers: Leftovers): JetStreamOptions['limits'] {
  const limits = {
    maxAckPending: positiveLimit(block, 'max_ack_pending'),
    duplicateWindowNs: block.durationNs('duplicate_window'),
    maxRequestBatch: positiveLimit(block, 'max_request_batch'),
  };
  block.leaveOut(['max_ha_assets'], leftovers);
  block.finish(leftovers);
  return limits;
}

function readSync(block: OptionReader): Pick<WrittenJetStream, 'sync' | 'syncIntervalNs'> {
  const found = block.find('sync_interval', 'sync');
  if (found === null || found.value === 'always') {
    return { sync: 'always', syncIntervalNs: syncIntervalDefaultNs };
  }
  const syncIntervalNs = block.durationNs('sync_interval', 'sync') ?? syncIntervalDefaultNs;
  return { sync: 'interval', syncIntervalNs };
}

/** -1 is no limit, and 0 allows nothing. */
function sizeLimit(block: OptionReader, ...names: readonly string[]): number | null {
  const size = block.integer(-1, sizeMax, ...names);
  return size === -1 ? null : size;
}

function positiveLimit(block: OptionReader, name: string): number | null {
  const limit = block.integer(-1, sizeMax, name);
  return limit !== null && limit > 0 ? limit : null;
}

function refuseEncryption(block: OptionReader): void {
  const found = block.find(...encryptionKeys);
  if (found === null) return;
  throw new OptionsError(found.field, '…', 'encryption of the store is not supported');
}
