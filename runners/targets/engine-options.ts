import { nearestWord } from '../nearest-word.ts';
import { UsageError, withSuggestion } from '../usage-error.ts';

/** What a target may say about the engine: `engine?dedup=map&sync=none&profile=nats`. */
export interface EngineChoices {
  readonly profile?: string;
  readonly dedup?: string;
  readonly sync?: string;
}

const choices: Readonly<Record<keyof EngineChoices, readonly string[]>> = {
  profile: ['strict', 'nats'],
  dedup: ['map', 'compact'],
  sync: ['always', 'interval', 'none'],
};

/** Reads what follows the name of the target. Throws UsageError that names it. */
export function engineChoices(spec: string, rest: string): EngineChoices {
  const chosen: Partial<Record<keyof EngineChoices, string>> = {};
  for (const [name, value] of new URLSearchParams(rest)) {
    if (!isChoice(name)) throw new UsageError(`target "${spec}": ${unknownText(name, Object.keys(choices))}`);
    if (!choices[name].includes(value)) {
      throw new UsageError(`target "${spec}": ${name} is "${value}", none of ${choices[name].join(', ')}`);
    }
    chosen[name] = value;
  }
  return chosen;
}

/** The flags of `serve` that say the same. */
export function serveFlags(chosen: EngineChoices): string[] {
  return Object.entries(chosen).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

function isChoice(name: string): name is keyof EngineChoices {
  return Object.hasOwn(choices, name);
}

function unknownText(name: string, known: readonly string[]): string {
  const problem = `unknown option "${name}"; write for example engine?dedup=map&sync=none`;
  return withSuggestion(problem, nearestWord(name, known));
}
