// Where lines go: results on standard output, everything else on standard error, so that --json is one document.

/** The two streams of a command. */
export interface Console {
  /** A line of the result; kept back when a document is printed instead. */
  print(line: string): void;
  /** The one document of `--json`. */
  document(value: unknown): void;
  /** Progress; nothing with --quiet. */
  note(line: string): void;
  /** What must be read even with --quiet. */
  warn(line: string): void;
}

export interface ConsoleOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** A reader that went away (`| head`) ends output, not the run. */
export function processConsole(options: ConsoleOptions): Console {
  const toError = (line: string): void => void process.stderr.write(`${line}\n`);
  return {
    print: (line) => {
      if (!options.json) process.stdout.write(`${line}\n`);
    },
    document: (value) => {
      if (options.json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    note: (line) => {
      if (!options.quiet) toError(line);
    },
    warn: toError,
  };
}
