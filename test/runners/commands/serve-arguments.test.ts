import { expect, test } from 'vitest';
import { normaliseServeArguments } from '../../../runners/commands/serve-arguments.ts';

test("nats-server's single-dash long flags are understood", () => {
  expect(normaliseServeArguments(['-js', '-sd', 'data', '-p', '4222', '-m', '8222'])).toEqual([
    '--jetstream',
    '--store_dir',
    'data',
    '-p',
    '4222',
    '-m',
    '8222',
  ]);
});

test.each([
  ['-p=4222', ['-p', '4222']],
  ['-sd=data', ['--store_dir=data']],
  ['-store_dir=a=b', ['--store_dir=a=b']],
  ['-DV', ['--debug', '--trace']],
  ['-js=false', []],
  ['--server_name', ['--name']],
  ['--http_port=8222', ['--http_port=8222']],
  ['-D', ['-D']],
  ['-1', ['-1']],
  ['data-folder', ['data-folder']],
  ['--unknown', ['--unknown']],
])('%s', (argument, expected) => {
  expect(normaliseServeArguments([argument])).toEqual(expected);
});
