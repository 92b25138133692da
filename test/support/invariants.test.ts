// A checker that cannot fail proves nothing: each one is shown a history with its fault planted.

import { expect, it } from 'vitest';

import {
  holdsOnlyLiveIds,
  invariants,
  type ConsumerSeen,
  type Observation,
  type PublishSeen,
  type StateSeen,
} from './invariants.ts';

const published = (fields: Partial<PublishSeen>): PublishSeen => ({
  type: 'publish',
  answer: 'stored',
  sequence: 1,
  id: 'a',
  tag: 'first',
  subject: 't.a',
  atNs: 0,
  windowNs: 100,
  ...fields,
});

const consumer = (fields: Partial<ConsumerSeen>): ConsumerSeen => ({
  name: 'c',
  filter: '',
  waitsNs: [50],
  maxDeliver: 2,
  maxAckPending: 1,
  takesAcks: true,
  delivered: { consumer: 1, stream: 1 },
  floor: { consumer: 0, stream: 0 },
  pendingSequences: [],
  ...fields,
});

const state = (fields: Partial<StateSeen>): StateSeen => ({
  type: 'state',
  atNs: 0,
  firstSequence: 1,
  lastSequence: 1,
  windowNs: 100,
  idCount: 1,
  stored: new Map(),
  consumers: [consumer({})],
  ...fields,
});

const delivered = (sequence: number, deliveryCount: number, atNs: number): Observation => ({
  type: 'deliver',
  consumer: 'c',
  sequence,
  consumerSequence: 1,
  deliveryCount,
  atNs,
});

const acknowledged: Observation = { type: 'settle', how: 'one', consumer: 'c', sequence: 1, atNs: 0 };

const planted: readonly [name: string, history: readonly Observation[], complaint: string][] = [
  ['D1', [published({}), published({ sequence: 2, atNs: 99 })], 'D1: a stored again at s2 after 99 ns'],
  [
    'D2',
    [published({}), state({ stored: new Map([[1, 'other']]) })],
    'D2: s1 holds other, acknowledged was first',
  ],
  [
    'D3',
    [published({}), published({ answer: 'duplicate', id: 'b', tag: 'second' })],
    'D3: second is no duplicate of s1',
  ],
  [
    'D3',
    [published({}), published({ answer: 'duplicate', tag: 'late', atNs: 101 })],
    'D3: late came 101 ns after s1',
  ],
  [
    'D6',
    [published({}), published({ answer: 'duplicate', tag: 'edge', atNs: 100 })],
    'D6: edge refused at the edge',
  ],
  ['S1', [published({}), published({ sequence: 3, tag: 'third' })], 'S1: third got s3'],
  ['S5', [state({ firstSequence: 2 }), state({ firstSequence: 1 })], 'S5: first sequence fell to 1'],
  ['K1', [delivered(1, 1, 0), acknowledged, delivered(1, 2, 60)], 'K1: c got s1 after it was done'],
  [
    'K1',
    [published({}), state({ consumers: [consumer({ filter: 't.b' })] }), delivered(1, 1, 0)],
    'K1: c got s1 of another subject',
  ],
  ['K2', [delivered(1, 1, 0), delivered(1, 3, 60)], 'K2: delivery 2 of c s1 says 3'],
  [
    'K2',
    [state({}), delivered(1, 1, 0), delivered(1, 2, 60), delivered(1, 3, 120)],
    'K2: delivery 3 of c s1, allowed are 2',
  ],
  [
    'K3',
    [state({ consumers: [consumer({ floor: { consumer: 1, stream: 1 } })] }), state({})],
    'K3: the floor of c fell to s0',
  ],
  [
    'K3',
    [state({ consumers: [consumer({ floor: { consumer: 2, stream: 2 } })] })],
    'K3: the floor of c is ahead',
  ],
  ['K4', [state({}), delivered(1, 1, 0), delivered(1, 2, 49)], 'K4: c s1 again at 49, due at 50'],
  [
    'K7',
    [state({ consumers: [consumer({ pendingSequences: [1, 2] })] })],
    'K7: c waits for 2, allowed are 1',
  ],
  ['K8', [delivered(2, 1, 0), delivered(1, 1, 0)], 'K8: c got s1 late'],
];

it.each(planted)('%s finds its planted fault', (name, history, complaint) => {
  expect(invariants[name]?.(history)).toContain(complaint);
});

it('D7 finds an id that outlived its window', () => {
  expect(holdsOnlyLiveIds([published({}), state({ atNs: 100 })])).toEqual([
    'D7: 1 ids held at 100, 0 are live',
  ]);
  expect(holdsOnlyLiveIds([published({}), state({ atNs: 99 })])).toEqual([]);
});

it('no checker complains about a history in order', () => {
  const history = [
    published({}),
    delivered(1, 1, 0),
    state({ stored: new Map([[1, 'first']]), consumers: [consumer({ pendingSequences: [1] })] }),
    delivered(1, 2, 50),
  ];
  expect(Object.values(invariants).flatMap((checker) => checker(history))).toEqual([]);
});
