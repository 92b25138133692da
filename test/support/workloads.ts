import type { Workload, WorkloadPlan } from '../../workloads/workload.ts';

/** A workload with a parameter of every kind, for tests of plans. */
export const everyKind: Workload = {
  name: 'every-kind',
  doc: 'Has a parameter of every kind.',
  parameters: {
    rate: { kind: 'rate', doc: 'Messages a second.', default: '1k/s', smoke: '100/s' },
    stages: { kind: 'stages', doc: 'Rates over time.', default: '1k/s@1s', smoke: '1k/s@10ms' },
    window: { kind: 'duration', doc: 'Duplicate window.', default: '2m', smoke: '1s' },
    count: { kind: 'count', doc: 'Publishers.', default: '4', smoke: '1' },
    payload: { kind: 'bytes', doc: 'Size of a message.', default: '128B', smoke: '64B' },
    lost: { kind: 'fraction', doc: 'Lost acks.', default: '10%', smoke: '0' },
    ack: {
      kind: 'choice',
      doc: 'How acks are sent.',
      default: 'ack',
      smoke: 'ack',
      choices: ['ack', 'double-ack'],
    },
    handling: { kind: 'distribution', doc: 'Handling time.', default: '20ms', smoke: '0s' },
  },
  plan: (values) => {
    const payloadBytes = values['payload'] as number;
    if (payloadBytes < 24) throw new Error(`payload is ${payloadBytes} bytes, at least 24 are needed`);
    return workloadPlan({
      ratePerSecond: values['rate'] as number,
      payloadBytes,
      windowNs: values['window'] as number,
    });
  },
};

/** One second of publishing with message ids, and no consumer. */
export function workloadPlan(
  options: { ratePerSecond?: number; payloadBytes?: number; windowNs?: number } = {},
): WorkloadPlan {
  const { ratePerSecond = 1000, payloadBytes = 128, windowNs = 120e9 } = options;
  return {
    stream: { subjects: ['load'], retention: 'limits', storage: 'memory', duplicate_window: windowNs },
    consumer: null,
    preloadCount: 0,
    publisher: {
      loop: 'open',
      arrivals: 'fixed',
      stages: [{ ratePerSecond, durationNs: 1e9 }],
      messageCount: 0,
      publisherCount: 1,
      subject: 'load',
      payloadBytes,
      idHeader: 'message-id',
      idLength: 22,
      inFlightMax: 1000,
      catchUpMax: 100,
      retry: null,
    },
    consumerWork: null,
    warmupNs: 0,
    measureNs: 1e9,
    drainNs: 1e9,
    audit: { windowNs, retention: 'kept', mustBeDelivered: false, deduplicated: true, ordered: true },
  };
}
