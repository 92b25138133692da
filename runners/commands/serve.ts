import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import {
  ConfigError,
  OptionsError,
  parseConfig,
  resolveOptions,
  type RunningEngine,
  serve,
  type ServerFlags,
  type ServerOptions,
} from '../../engine/mod.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { ServeReady } from '../targets/engine.ts';
import { UsageError } from '../usage-error.ts';
import { givenOptions } from './flags.ts';

const examples = `
Examples:
  oncemark serve -js -p 4222 -m 8222
  oncemark serve -c server.conf --profile nats --announce 2.10.27
  oncemark serve -p -1 --dedup map --json          any free port, told in one line

Flags are nats-server's own, with one dash or two.`;

/** Flags as commander names them. */
interface Flags {
  readonly addr?: string;
  readonly port?: string;
  readonly http_port?: string;
  readonly name?: string;
  readonly config?: string;
  readonly jetstream?: boolean;
  readonly store_dir?: string;
  readonly user?: string;
  readonly pass?: string;
  readonly auth?: string;
  readonly ports_file_dir?: string;
  readonly debug?: boolean;
  readonly trace?: boolean;
  readonly profile?: string;
  readonly dedup?: string;
  readonly sync?: string;
  readonly announce?: string;
  readonly json?: boolean;
}

/** `oncemark serve`. Ends on SIGINT and SIGTERM. */
export function serveCommand(setExitCode: (code: ExitCode) => void): Command {
  return new Command('serve')
    .description('the reference engine as a server for any NATS client')
    .option('-a, --addr <host>', 'address to listen on (default: 127.0.0.1)')
    .option('-p, --port <port>', 'port for clients, -1 for any (default: 4222)')
    .option('-m, --http_port <port>', 'port for HTTP monitoring, -1 for any')
    .option('-n, --name <name>', "the server's name")
    .option('-c, --config <file>', "configuration file in nats-server's syntax")
    .option('--jetstream', 'JetStream (-js); on unless a configuration file leaves it out')
    .option('--store_dir <dir>', 'storage folder (-sd)')
    .option('--user <user>', 'user that clients must name')
    .option('--pass <password>', 'password that clients must give')
    .option('--auth <token>', 'token that clients must give')
    .option('--ports_file_dir <dir>', 'write the ports into a file there')
    .option('-D, --debug', 'accepted')
    .option('-V, --trace', 'accepted')
    .addOption(new Option('--profile <name>', 'what to be true to').choices(['strict', 'nats']))
    .addOption(new Option('--dedup <kind>', 'how message ids are kept').choices(['map', 'compact']))
    .addOption(
      new Option('--sync <when>', 'when writes reach the disk').choices(['always', 'interval', 'none']),
    )
    .option('--announce <version>', 'version told to clients')
    .option('--json', 'tell address and version in one line of JSON')
    .addHelpText('after', examples)
    .action(async (_: unknown, command: Command) => {
      setExitCode(await serveUntilSignal(givenOptions<Flags>(command)));
    });
}

async function serveUntilSignal(flags: Flags): Promise<ExitCode> {
  const options = readOptions(flags);
  for (const key of options.acceptedButUnused) {
    process.stderr.write(`accepted, without effect here: ${key}\n`);
  }
  if (options.jetstream.enabled && (options.jetstream.storeDir !== null || flags.sync !== undefined)) {
    process.stderr.write(
      'this engine keeps every stream in memory: nothing is written to a store directory\n',
    );
  }
  const stopped = signalled();
  const server = await serve(options).catch((error: unknown) => {
    throw new UsageError(`the server cannot listen: ${messageOf(error)}`, { cause: error });
  });
  tell(flags.json ?? false, server);
  await stopped;
  await server.close();
  return exitCodes.ok;
}

function tell(json: boolean, { host, port, monitoringUrl, identity }: RunningEngine): void {
  const ready: ServeReady = { host, port, monitoringUrl, identity };
  const line = `${identity.name} ${identity.version} (${identity.profile}) listens on nats://${host}:${port}`;
  const told = monitoringUrl === null ? line : `${line}, monitoring on ${monitoringUrl}`;
  process.stdout.write(`${json ? JSON.stringify(ready) : told}\n`);
}

function readOptions(flags: Flags): ServerOptions {
  const { addr, port, http_port, name, store_dir, ports_file_dir, config, json: _, ...same } = flags;
  const named: ServerFlags = {
    ...same,
    host: addr,
    port,
    monitorPort: http_port,
    serverName: name,
    storeDir: store_dir,
    portsFileDir: ports_file_dir,
  };
  try {
    return resolveOptions(named, config === undefined ? null : parseConfig(readConfig(config), process.env));
  } catch (error) {
    if (!(error instanceof OptionsError || error instanceof ConfigError)) throw error;
    throw new UsageError(config === undefined ? error.message : `${config}: ${error.message}`, {
      cause: error,
    });
  }
}

function readConfig(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--config: "${file}" cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve);
  });
}
