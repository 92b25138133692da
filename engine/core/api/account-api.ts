import type { ApiState } from './api-state.ts';

/** INFO: what the account uses; nothing is limited unless the server is (spec 2.3). */
export function accountInfo(state: ApiState): object {
  let consumers = 0;
  for (const stream of state.streams.values()) consumers += stream.consumers.size;
  const unlimited = (value: number): number => (value > 0 ? value : -1);
  const { limits, domain, usage } = state.context;
  return {
    memory: usage.memory,
    storage: usage.file,
    reserved_memory: 0,
    reserved_storage: 0,
    streams: state.streams.size,
    consumers,
    limits: {
      max_memory: unlimited(limits.maxMemoryBytes),
      max_storage: unlimited(limits.maxFileBytes),
      max_streams: -1,
      max_consumers: -1,
      max_ack_pending: unlimited(limits.maxAckPending),
      memory_max_stream_bytes: -1,
      storage_max_stream_bytes: -1,
      max_bytes_required: false,
    },
    ...(domain === null ? {} : { domain }),
    api: { total: 0, errors: 0 },
  };
}
