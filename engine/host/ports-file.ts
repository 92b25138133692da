import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a server listens, as URLs. */
export interface ListeningUrls {
  readonly nats: readonly string[];
  readonly monitoring: readonly string[];
}

export interface PortsFile {
  readonly path: string;
  /** Safe to call twice. */
  remove(): void;
}

/**
 * Writes `<executable>_<pid>.ports`, by which whoever started a server with port -1 learns where it listens. The file
 * appears whole: readers poll for it. Call it once everything listens. Throws when the directory cannot be written.
 */
export function writePortsFile(dir: string, executable: string, pid: number, urls: ListeningUrls): PortsFile {
  const path = join(dir, `${executable}_${pid}.ports`);
  const unfinished = `${path}.unfinished`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(urls)}\n`);
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw new Error(`ports_file_dir = ${JSON.stringify(dir)}: the ports file cannot be written there`, {
      cause,
    });
  }
  return { path, remove: () => rmSync(path, { force: true }) };
}
