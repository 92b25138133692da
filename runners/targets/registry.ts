import { nearestWord } from '../nearest-word.ts';
import { UsageError, withSuggestion } from '../usage-error.ts';
import { engineTarget } from './engine.ts';
import { inProcessTarget } from './in-process.ts';
import { natsServerTarget } from './nats-server.ts';
import { natsTarget } from './nats.ts';
import { scriptedTarget } from './scripted.ts';
import type { Target } from './target.ts';

interface TargetKind {
  /** How it is written, for help and errors. */
  readonly form: string;
  readonly doc: string;
  /** Text after the name and its separator; empty when there is none. */
  readonly parse: (spec: string, rest: string) => Target;
}

/** Every kind of target by the word that its spec starts with. */
export const targetKinds = {
  engine: { form: 'engine', doc: 'the reference engine in a process of its own', parse: engineTarget },
  inproc: { form: 'inproc', doc: 'the reference engine in this process', parse: inProcessTarget },
  'nats-server': {
    form: 'nats-server:PATH',
    doc: 'an executable that we start and end',
    parse: natsServerTarget,
  },
  nats: {
    form: 'nats://HOST[:PORT][,...]',
    doc: 'servers that are already there',
    parse: (spec) => natsTarget(spec),
  },
  scripted: {
    form: 'scripted:FAULT@N[,...]',
    doc: 'an engine with planted faults',
    parse: faultyTarget,
  },
} as const satisfies Readonly<Record<string, TargetKind>>;

/** Reads a target as the user wrote it. Throws UsageError with the nearest kind. */
export function parseTarget(spec: string): Target {
  const match = /^([^:?]+)(?:[:?](.*))?$/s.exec(spec);
  const word = match?.[1] ?? spec;
  const rest = match?.[2] ?? '';
  if (isKind(word) && (word !== 'nats' || spec.startsWith('nats://'))) {
    return targetKinds[word].parse(spec, rest);
  }
  const forms = Object.values(targetKinds).map((kind) => kind.form);
  const near = nearestWord(word, Object.keys(targetKinds));
  const problem = `target "${spec}" is of no known kind (${forms.join(', ')})`;
  throw new UsageError(
    withSuggestion(problem, near === null ? null : targetKinds[near as keyof typeof targetKinds].form),
  );
}

function isKind(word: string): word is keyof typeof targetKinds {
  return Object.hasOwn(targetKinds, word);
}

function faultyTarget(spec: string): Target {
  try {
    return scriptedTarget(spec);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`target "${spec}": ${error.message}`, { cause: error });
  }
}
