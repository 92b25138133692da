import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Text } from '../../engine/base/bytes.ts';
import {
  bodyIdBytes,
  counterMax,
  messageIdTemplate,
  payloadTemplate,
  readBodyId,
  readMessageIdCounter,
  writeBodyId,
  writeMessageIdCounter,
} from '../../workloads/operation-id.ts';
import type { BodyId } from '../../workloads/operation-id.ts';

const textOf = (id: Uint8Array): string => latin1Text(id, 0, id.length);
const emptyId = (): BodyId => ({ publisher: -1, counter: -1, attempt: -1, dueNs: -1 });

describe('operation ids', () => {
  test('are written twice: as text for the header, as bytes into the payload', () => {
    const messageId = messageIdTemplate('trial 1', 36, 7);
    writeMessageIdCounter(messageId, messageId.length, 12_345);
    expect(messageId).toHaveLength(36);
    expect(textOf(messageId)).toMatch(/^[0-9A-Za-z]{27}00700030v$/); // 12 345 = 3 x 64^2 + 0 x 64 + 57

    const payload = payloadTemplate('trial 1', 64);
    writeBodyId(payload, 0, 7, 12_345, 2, 1_000_000);
    const read = emptyId();
    expect(readBodyId(payload, 0, payload.length, read)).toBe(true);
    expect(read).toEqual({ publisher: 7, counter: 12_345, attempt: 2, dueNs: 1_000_000 });
  });

  test('differ between publishers, counters and trials at every length allowed', () => {
    for (const length of [12, 13, 22, 36, 64]) {
      const ids = new Set<string>();
      const owners = ['a', 'b'].flatMap((trial) =>
        [0, 1, 64, 65_535].map((publisher) => ({ trial, publisher })),
      );
      for (const { trial, publisher } of owners) {
        const id = messageIdTemplate(trial, length, publisher);
        for (const counter of [0, 1, 63, 64, 2 ** 18, 2 ** 18 + 1, counterMax]) {
          writeMessageIdCounter(id, length, counter);
          expect(readMessageIdCounter(id, length)).toBe(counter);
          ids.add(textOf(id));
        }
      }
      expect(ids.size).toBe(2 * 4 * 7);
    }
  });

  test('refuse lengths without room', () => {
    expect(() => messageIdTemplate('a', 11, 0)).toThrow('idLength 11 is below 12');
    expect(() => messageIdTemplate('a', 36, 65_536)).toThrow('publisher 65536');
    expect(() => payloadTemplate('a', 23)).toThrow('payloadBytes 23 is below 24');
  });

  test('survive the round trip anywhere in a buffer', () => {
    const due = fc.oneof(fc.constant(Number.NaN), fc.integer({ min: 0, max: 2 ** 48 - 2 }));
    const counter = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(
        fc.nat(65_535),
        counter,
        fc.nat(255),
        due,
        fc.nat(9),
        (publisher, counter, attempt, dueNs, at) => {
          const bytes = new Uint8Array(40);
          writeBodyId(bytes, at, publisher, counter, attempt, dueNs);
          const read = emptyId();
          expect(readBodyId(bytes, at, 24, read)).toBe(true);
          expect(read).toEqual({ publisher, counter, attempt, dueNs });
        },
      ),
    );
  });

  test('carry the CRC-32 of zlib, so any flipped bit is seen', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32), fc.nat(bodyIdBytes * 8 - 1), (counter, bit) => {
        const bytes = new Uint8Array(24);
        writeBodyId(bytes, 0, 3, counter, 0, 5);
        expect(new DataView(bytes.buffer).getUint32(16)).toBe(crc32(bytes.subarray(0, 16)));
        bytes[bit >>> 3] = (bytes[bit >>> 3] as number) ^ (1 << (bit & 7));
        expect(readBodyId(bytes, 0, 24, emptyId())).toBe(false);
      }),
    );
    expect(readBodyId(new Uint8Array(40), 0, 19, emptyId())).toBe(false);
  });

  test('leave the filler alone, which depends on the seed and does not compress', () => {
    const payload = payloadTemplate('seed', 4096);
    const before = payload.slice();
    writeBodyId(payload, 0, 1, 1, 0);
    expect(payload.subarray(bodyIdBytes)).toEqual(before.subarray(bodyIdBytes));
    expect(payloadTemplate('seed', 4096)).toEqual(before);
    expect(new Set(before.subarray(bodyIdBytes)).size).toBeGreaterThan(250);
  });
});
