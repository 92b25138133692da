import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AssertionError } from '../../../engine/base/assert.ts';
import { latin1Bytes } from '../../../engine/base/bytes.ts';
import { subjectMatches } from '../../../engine/base/subject.ts';
import { SubjectRouter } from '../../../engine/host/subject-router.ts';

interface Route {
  readonly plain: readonly string[];
  readonly queues: readonly (readonly string[])[];
}

function newRouter(entryCountMax?: number): SubjectRouter<string, Route> {
  return new SubjectRouter((plain, queues) => ({ plain, queues }), entryCountMax);
}

function routeText(router: SubjectRouter<string, Route>, subject: string): Route {
  const bytes = latin1Bytes(`PUB ${subject} 5`);
  return router.route(bytes, 4, 4 + subject.length);
}

describe('SubjectRouter', () => {
  test('routes a subject to all plain subscribers and to each group', () => {
    const router = newRouter();
    router.add('orders.*', null, 'audit');
    router.add('orders.eu', null, 'desk');
    router.add('orders.>', 'workers', 'first');
    router.add('*.eu', 'workers', 'second');
    router.add('orders.eu', 'mailers', 'third');

    const route = routeText(router, 'orders.eu');
    expect(sorted(route)).toEqual({ plain: ['audit', 'desk'], queues: ['first,second', 'third'] });
    expect(router.matches('orders.us').plain).toEqual(['audit']);
    expect(router.hasInterest('orders.us.west')).toBe(true);
    expect(router.hasInterest('invoices')).toBe(false);
    expect(router.subscriptionCount).toBe(5);
  });

  test('every last token of an inbox has the same result, made once', () => {
    let madeCount = 0;
    const router = new SubjectRouter<string, number>(() => (madeCount += 1));
    router.add('_INBOX.abc.*', null, 'client');
    const results = ['1', '2', '333'].map((last) => router.matches(`_INBOX.abc.${last}`));
    expect(new Set(results).size).toBe(1);
    expect(madeCount).toBe(1);
  });

  test('subjects that match the same patterns share a result', () => {
    const router = newRouter();
    router.add('a.*.c', null, 'one');
    router.add('a.b.d', null, 'two');
    expect(router.matches('a.x.c')).toBe(router.matches('a.y.c'));
  });

  test('a literal beside the wildcard keeps last tokens apart', () => {
    const router = newRouter();
    router.add('a.*', null, 'all');
    router.add('a.x', null, 'x');
    expect(router.matches('a.y').plain).toEqual(['all']);
    expect([...router.matches('a.x').plain].sort()).toEqual(['all', 'x']);
    expect(router.matches('a.y').plain).toEqual(['all']);
  });

  test('a subject with an empty token has no subscribers, whatever was routed before', () => {
    const router = newRouter();
    router.add('a.>', null, 'all');
    for (const subject of ['a.b', 'a.', 'a..b', 'a.b', 'a.b.', 'a.b.c', 'a.b.', '.a', '']) {
      const isValid = subject !== '' && subject.split('.').every((part) => part !== '');
      expect(routeText(router, subject).plain, subject).toEqual(isValid ? ['all'] : []);
    }
  });

  test('a change is seen by the next message', () => {
    const router = newRouter();
    router.add('a.*', null, 'one');
    expect(router.matches('a.b').plain).toEqual(['one']);
    router.add('a.b', null, 'two');
    expect([...router.matches('a.b').plain].sort()).toEqual(['one', 'two']);
    router.remove('a.*', null, 'one');
    expect(router.matches('a.b').plain).toEqual(['two']);
    router.remove('a.b', null, 'two');
    expect(router.matches('a.b').plain).toEqual([]);
    expect(router.subscriptionCount).toBe(0);
  });

  test('a result given out does not change afterwards', () => {
    const router = newRouter();
    router.add('a', null, 'one');
    const before = router.matches('a');
    router.add('a', null, 'two');
    expect(before.plain).toEqual(['one']);
  });

  test('a wildcard published to reaches wildcards alone', () => {
    const router = newRouter();
    router.add('a.*', null, 'star');
    router.add('a.b', null, 'literal');
    expect(router.matches('a.*').plain).toEqual(['star']);
  });

  test('what was never added cannot be removed', () => {
    const router = newRouter();
    router.add('a.b', 'group', 'one');
    expect(() => router.remove('a.b', null, 'one')).toThrow(AssertionError);
    expect(() => router.remove('a.c', 'group', 'one')).toThrow(AssertionError);
    expect(() => router.add('a..b', null, 'one')).toThrow(AssertionError);
  });
});

const token = fc.constantFrom('a', 'b', 'c', 'ab');
const subjects = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join('.'));
const patterns = fc
  .tuple(
    fc.array(fc.oneof(token, fc.constant('*')), { maxLength: 3 }),
    fc.oneof(token, fc.constantFrom('*', '>')),
  )
  .map(([tokens, last]) => [...tokens, last].join('.'));
const queueNames = fc.constantFrom(null, null, 'g', 'h');

type Step =
  | { kind: 'add'; pattern: string; queue: string | null }
  | { kind: 'remove'; pick: number }
  | { kind: 'route'; subject: string };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('add' as const), pattern: patterns, queue: queueNames }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), pick: fc.nat(1000) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('route' as const), subject: subjects }) },
);

interface Subscription {
  readonly pattern: string;
  readonly queue: string | null;
  readonly name: string;
}

function expectedRoute(live: readonly Subscription[], subject: string): Route {
  const matching = live.filter((entry) => subjectMatches(entry.pattern, subject));
  const groupNames = [...new Set(matching.map((entry) => entry.queue))].filter((queue) => queue !== null);
  return {
    plain: matching.filter((entry) => entry.queue === null).map((entry) => entry.name),
    queues: groupNames.map((queue) =>
      matching.filter((entry) => entry.queue === queue).map((entry) => entry.name),
    ),
  };
}

function sorted(route: Route): unknown {
  return {
    plain: [...route.plain].sort(),
    queues: route.queues.map((members) => [...members].sort().join()).sort(),
  };
}

describe('against a linear scan', () => {
  test.each([2, 1024])('adds, removes and routes interleaved, %i subjects remembered', (entryCountMax) => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (script) => {
        const router = newRouter(entryCountMax);
        const live: Subscription[] = [];
        for (const [index, step] of script.entries()) {
          if (step.kind === 'add') {
            live.push({ pattern: step.pattern, queue: step.queue, name: `s${index}` });
            router.add(step.pattern, step.queue, `s${index}`);
          } else if (step.kind === 'remove') {
            const [gone] = live.splice(step.pick % Math.max(live.length, 1), 1);
            if (gone !== undefined) router.remove(gone.pattern, gone.queue, gone.name);
          } else {
            const expected = expectedRoute(live, step.subject);
            expect(sorted(routeText(router, step.subject))).toEqual(sorted(expected));
            expect(router.hasInterest(step.subject)).toBe(expected.plain.length + expected.queues.length > 0);
          }
          expect(router.subscriptionCount).toBe(live.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('ten thousand tokens at one level and all of them removed', () => {
    const router = newRouter(16);
    for (let index = 0; index < 10_000; index += 1) router.add(`a.t${index}`, null, `s${index}`);
    expect(router.matches('a.t9999').plain).toEqual(['s9999']);
    for (let index = 0; index < 10_000; index += 1) router.remove(`a.t${index}`, null, `s${index}`);
    expect(router.matches('a.t9999').plain).toEqual([]);
  });
});
