import { readFileSync } from 'node:fs';

/** Version of this package. */
export function toolVersion(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const file = new URL(isBuilt ? '../../package.json' : '../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
