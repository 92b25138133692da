// The core against a dumb model of one stream and its consumers: the same operations at the same times, everything
// compared after every step, and the invariants checked over what was seen.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hashBytes, latin1Bytes } from '../../../engine/base/bytes.ts';
import type { DedupKind } from '../../../engine/core/dedup-window.ts';
import { CoreEngine, storedPayloads, type CoreOutcome } from '../../support/core-engine.ts';
import { Player } from '../../support/engine-player.ts';
import { headersOf, streamRequest } from '../../support/engine-requests.ts';
import { publish, scenario, streamConfig, type Scenario } from '../../support/engine-scenarios.ts';
import { holdsOnlyLiveIds, invariants } from '../../support/invariants.ts';

const variants = [
  ['compact', 'strict'],
  ['map', 'strict'],
  ['compact', 'nats'],
  ['map', 'nats'],
] as const;

describe.each(variants)('core with dedup %s, profile %s', (dedup, profile) => {
  it('does what the model does, and keeps the invariants', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(scenario, (played) => {
        const player = new Player(played, dedup, profile);
        for (const operation of played.operations) {
          player.play(operation);
          player.compare();
          player.watchState();
        }
        const wrong = Object.values(invariants).flatMap((checker) => checker(player.history));
        if (!played.operations.some(({ type }) => type === 'window')) {
          wrong.push(...holdsOnlyLiveIds(player.history));
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: Number(process.env['MODEL_RUNS'] ?? 300) },
    );
  });
});

// --- determinism

/** Everything that a run decided, as one number. */
function digest(values: readonly unknown[]): number {
  const bytes = latin1Bytes(JSON.stringify(values).replace(/[^\0-\u00ff]/g, '?'));
  return hashBytes(bytes, 0, bytes.length, 1);
}

function playAll(played: Scenario, dedup: DedupKind): number {
  const player = new Player(played, dedup, 'strict');
  for (const operation of played.operations) player.play(operation);
  const { engine, stream } = player;
  const answers = player.history.filter(({ type }) => type === 'publish');
  return digest([
    answers,
    engine.deliveries,
    engine.advisories,
    [...storedPayloads(engine, stream)],
    engine.api('STREAM.INFO.T'),
  ]);
}

describe('determinism', () => {
  it('the same operations at the same times give the same trace, whatever keeps the ids', () => {
    fc.assert(
      fc.property(scenario, (played) => {
        const first = playAll(played, 'compact');
        expect(playAll(played, 'compact')).toBe(first);
        expect(playAll(played, 'map')).toBe(first);
      }),
      { numRuns: 40 },
    );
  });

  it('publishes of one moment get the same answers however they are cut into batches', () => {
    const cuts = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(streamConfig, fc.array(publish, { maxLength: 20 }), cuts, (config, publishes, cuts) => {
        const answersWith = (isCut: (index: number) => boolean): unknown => {
          const engine = new CoreEngine({});
          const stream = engine.createStream(streamRequest(config));
          const answers: CoreOutcome[] = [];
          for (const [index, fields] of publishes.entries()) {
            engine.add(stream, fields.subject, 'x'.repeat(fields.payloadBytes), headersOf(definedOf(fields)));
            if (isCut(index)) answers.push(...engine.commit());
          }
          answers.push(...engine.commit());
          return { answers, stored: [...storedPayloads(engine, stream)], info: engine.api('STREAM.INFO.T') };
        };
        const whole = answersWith(() => false);
        expect(answersWith(() => true)).toEqual(whole);
        expect(answersWith((index) => cuts[index] === true)).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });
});

type PublishFields = Parameters<typeof headersOf>[0];

function definedOf(fields: object): PublishFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as PublishFields;
}
