import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfigBlock, ConfigValue } from '../../../engine/host/config-file.ts';
import { ConfigError, parseConfig } from '../../../engine/host/config-file.ts';

describe('parseConfig', () => {
  test('reads keys, blocks, lists and comments', () => {
    const text = `
      # one server
      host: 127.0.0.1
      port = -1
      server_name edge-1   // separators are optional
      jetstream {
        store_dir: "/data/js" # quoted
        max_file_store: 8GiB
      }
      authorization: { users: [ {user: a, password: 'b c'}, {user: d, password: "e\\tf"} ], timeout: 1.5 }
      tags [one, two
        three]
      debug: yes
    `;
    expect(parseConfig(text)).toEqual({
      host: '127.0.0.1',
      port: -1,
      server_name: 'edge-1',
      jetstream: { store_dir: '/data/js', max_file_store: 8 * 1024 ** 3 },
      authorization: {
        users: [
          { user: 'a', password: 'b c' },
          { user: 'd', password: 'e\tf' },
        ],
        timeout: 1.5,
      },
      tags: ['one', 'two', 'three'],
      debug: true,
    });
  });

  // Spec B.2: one entry a line, no commas, list items and blocks on lines of their own.
  test('reads what a test suite writes for its servers', () => {
    const text = [
      'jetstream {',
      '  max_file_store: 1048576',
      '  max_mem_store: 1048576',
      '  store_dir: /tmp/store-of_9.x',
      '   }',
      'host: "127.0.0.1"',
      'port: -1',
      'http: "127.0.0.1:-1"',
      'leafnodes {',
      '  listen: "127.0.0.1:-1"',
      '   }',
      'server_tags [',
      '  id:QX3BZJ6ZQ2K2C5XVDFYF8G',
      '   ]',
      'websocket {',
      '  port: -1',
      '  no_tls: true',
      '   }',
      'authorization {',
      '  users [',
      '     {',
      '      user: derek',
      '      password: foobar',
      '     }',
      '   ]',
      '   }',
      'cluster {',
      '  name: C_1',
      '  listen: "127.0.0.1:-1"',
      '  routes [',
      '  nats://127.0.0.1:40001',
      '  nats://127.0.0.1:40002',
      '   ]',
      '   }',
      'ports_file_dir: /tmp',
    ].join('\n');
    expect(parseConfig(text)).toEqual({
      jetstream: { max_file_store: 1_048_576, max_mem_store: 1_048_576, store_dir: '/tmp/store-of_9.x' },
      host: '127.0.0.1',
      port: -1,
      http: '127.0.0.1:-1',
      leafnodes: { listen: '127.0.0.1:-1' },
      server_tags: ['id:QX3BZJ6ZQ2K2C5XVDFYF8G'],
      websocket: { port: -1, no_tls: true },
      authorization: { users: [{ user: 'derek', password: 'foobar' }] },
      cluster: {
        name: 'C_1',
        listen: '127.0.0.1:-1',
        routes: ['nats://127.0.0.1:40001', 'nats://127.0.0.1:40002'],
      },
      ports_file_dir: '/tmp',
    });
  });

  test.each([
    ['1K', 1000],
    ['1KB', 1024],
    ['1ki', 1024],
    ['64Mib', 64 * 1024 ** 2],
    ['2g', 2e9],
    ['1TB', 1024 ** 4],
    ['-1', -1],
    ['1.5', 1.5],
    ['1.5GB', '1.5GB'],
    ['2m', 2_000_000],
    ['2m30s', '2m30s'],
    ['10s', '10s'],
    ['1.2.3.4', '1.2.3.4'],
    ['TRUE', true],
    ['on', true],
    ['No', false],
    ['off', false],
    ['"true"', 'true'],
    ["'12'", '12'],
    ["'a\\n'", 'a\\n'],
    ['"\\x41\\\\"', 'A\\'],
    ['$2a$11$abc', '$2a$11$abc'],
    ['nats://a:1', 'nats://a:1'],
    ['a#b', 'a#b'],
  ])('a: %s', (written, expected) => {
    expect(parseConfig(`a: ${written}`)).toEqual({ a: expected });
    expect(parseConfig(`x { a ${written} }\r\n`)).toEqual({ x: { a: expected } });
    expect(parseConfig(`a [${written}]`)).toEqual({ a: [expected] });
  });

  test('$NAME is the nearest definition above, then the environment', () => {
    const text = 'TOKEN: outer\na { TOKEN: inner, t: $TOKEN }\nb { t: $TOKEN, p: $PORT }\n';
    expect(parseConfig(text, { TOKEN: 'unseen', PORT: '4333' })).toEqual({
      TOKEN: 'outer',
      a: { TOKEN: 'inner', t: 'inner' },
      b: { t: 'outer', p: 4333 },
    });
  });

  test('of a key written twice the last counts, and a key may have any name', () => {
    expect(parseConfig('a: 1; a: 2')).toEqual({ a: 2 });
    const block = parseConfig('__proto__ { b: 1 }');
    expect(Object.keys(block)).toEqual(['__proto__']);
    expect(({} as { b?: number }).b).toBeUndefined();
  });

  test.each([
    ['a: 1\n  b {\n  c: 2', 2, 5, 'never closed'],
    ['a: 1\n}', 2, 1, 'closes nothing'],
    ['a [ 1, 2', 1, 3, 'never closed'],
    ['a: "b\nc', 1, 4, 'never closed'],
    ['port:\nhost: a', 1, 6, '"port" has no value'],
    ['port', 1, 1, '"port" has no value'],
    ['port # later\nhost: a', 1, 1, '"port" has no value'],
    ['a: b c', 1, 6, 'after the value of "a"'],
    ['a: $NOWHERE', 1, 4, '$NOWHERE is defined neither above nor in the environment'],
    ["a: 1\ninclude './b.conf'", 2, 1, 'include is not supported'],
    ['a: "\\q"', 1, 5, 'is no escape'],
    ['a: (b', 1, 4, 'block strings'],
    ['a: [[1]]', 1, 5, 'a list in a list'],
    [': 1', 1, 1, 'a key was expected'],
    ['a {'.repeat(70), 1, 192, 'nested deeper'],
  ])('%j fails with its place', (text, line, column, reason) => {
    expect(() => parseConfig(text)).toThrow(ConfigError);
    expect(() => parseConfig(text)).toThrow(`line ${line}, column ${column}: `);
    expect(() => parseConfig(text)).toThrow(reason);
  });
});

const word = fc
  .stringMatching(/^[a-z_][a-z0-9_]{0,8}$/)
  .filter((text) => !/^(include|yes|no|on|off|true|false)$/.test(text));
const leaf: fc.Arbitrary<ConfigValue> = fc.oneof(
  word,
  fc.integer(),
  fc.boolean(),
  fc.string({ unit: 'binary' }),
);
const { block } = fc.letrec<{ block: ConfigBlock; item: ConfigValue; value: ConfigValue }>((tie) => ({
  item: fc.oneof({ maxDepth: 3 }, leaf, tie('block')),
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('block'), fc.array(tie('item'), { maxLength: 4 })),
  block: fc.dictionary(word, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

function written(value: ConfigValue): string {
  if (typeof value === 'string') return /^[a-z_]\w*$/.test(value) ? value : quoted(value);
  if (Array.isArray(value)) return `[\n${value.map((item: ConfigValue) => written(item)).join('\n')}\n]`;
  return typeof value === 'object' ? `{\n${entries(value as ConfigBlock)}\n}` : String(value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function entries(block: ConfigBlock): string {
  return Object.entries(block)
    .map(([key, value], index) => `${key}${[': ', ' = ', ' '][index % 3]}${written(value)}`)
    .join('\n');
}

test('what is written is read back', () => {
  fc.assert(
    fc.property(block, (original) => {
      expect(parseConfig(entries(original))).toEqual(original);
    }),
    { numRuns: 300 },
  );
});

test('any text is either read or refused with a place in it', () => {
  const symbols = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '{',
    '}',
    '[',
    ']',
    ':',
    '"',
    "'",
    '$',
    '#',
    '/',
    '\\',
    ',',
    '1',
  );
  fc.assert(
    fc.property(fc.string({ unit: symbols, maxLength: 30 }), (text) => {
      try {
        parseConfig(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        const { line, column } = error as ConfigError;
        expect(column).toBeLessThanOrEqual((text.split('\n')[line - 1] as string).length + 1);
      }
    }),
    { numRuns: 2000 },
  );
});
