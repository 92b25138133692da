// nats-server's flags as Go reads them: one dash or two, `-js`, `-sd DIR`, `-p=4222`. Rewritten for commander.

const longNames = [
  'addr',
  'net',
  'port',
  'name',
  'server_name',
  'http_port',
  'config',
  'jetstream',
  'store_dir',
  'user',
  'pass',
  'auth',
  'debug',
  'trace',
  'ports_file_dir',
  'profile',
  'dedup',
  'sync',
  'announce',
  'json',
  'help',
  'pid',
  'log',
  'logtime',
];

const shortForms: Readonly<Record<string, readonly string[]>> = {
  js: ['--jetstream'],
  sd: ['--store_dir'],
  DV: ['--debug', '--trace'],
  VV: ['--trace'],
  DVV: ['--debug', '--trace'],
  net: ['--addr'],
  server_name: ['--name'],
};

/** Arguments of `serve` in the form that commander reads; values are left as they are. */
export function normaliseServeArguments(args: readonly string[]): string[] {
  return args.flatMap((argument) => {
    const match = /^--?([A-Za-z][A-Za-z_]+)(=.*)?$/.exec(argument);
    if (match === null) return splitShort(argument);
    const [, name = '', value = ''] = match;
    const forms = shortForms[name] ?? (longNames.includes(name) ? [`--${name}`] : null);
    return forms === null ? [argument] : withValue(forms, value);
  });
}

/** `-p=4222` is two words. */
function splitShort(argument: string): string[] {
  const match = /^(-[A-Za-z])=(.*)$/.exec(argument);
  return match === null ? [argument] : [match[1] as string, match[2] as string];
}

function withValue(forms: readonly string[], value: string): string[] {
  if (value === '') return [...forms];
  if (value === '=true') return [...forms];
  return value === '=false' ? [] : [`${forms[0] as string}${value}`];
}
