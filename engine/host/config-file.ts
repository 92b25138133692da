// nats-server's configuration syntax, as far as one server's files use it: no include, no block strings.

/** A value as written: sizes such as `8GiB` are numbers, durations are left as text. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | ConfigBlock;

export interface ConfigBlock {
  readonly [key: string]: ConfigValue;
}

/** Text that is not a configuration. The message names line and column, both from 1. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly line: number;
  readonly column: number;

  constructor(line: number, column: number, reason: string) {
    super(`line ${line}, column ${column}: ${reason}`);
    this.line = line;
    this.column = column;
  }
}

/**
 * Parses a whole configuration. `$NAME` stands for a key defined before, in this block or one around it, or else
 * for a name in `environment`. Of a key written twice the last counts. Throws ConfigError.
 */
export function parseConfig(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): ConfigBlock {
  return new ConfigReader(text, environment).readFile();
}

/** The value of an unquoted word: a boolean (`true yes on`, any case), a number (`-1 1.5 64KB 8GiB`), or the text. */
export function scalarValue(word: string): string | number | boolean {
  const lower = word.toLowerCase();
  if (lower === 'true' || lower === 'yes' || lower === 'on') return true;
  if (lower === 'false' || lower === 'no' || lower === 'off') return false;
  if (/^-?\d+(\.\d+)?$/.test(word)) return Number(word);
  const size = /^(-?\d+)([kmgtpe])(b|i|ib)?$/.exec(lower);
  if (size === null) return word;
  const exponent = 1 + 'kmgtpe'.indexOf(size[2] as string);
  return Number(size[1]) * (size[3] === undefined ? 1000 : 1024) ** exponent;
}

const depthMax = 64;
const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['"', '"'],
  ['\\', '\\'],
]);

class ConfigReader {
  readonly #text: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #scopes: Map<string, ConfigValue>[] = [];
  #at = 0;

  constructor(text: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#text = text;
    this.#environment = environment;
  }

  readFile(): ConfigBlock {
    return this.#readEntries(-1);
  }

  /** `openedAt` is where the block's brace stands, or -1 for the file itself. */
  #readEntries(openedAt: number): ConfigBlock {
    if (this.#scopes.length === depthMax) this.#fail(openedAt, `blocks are nested deeper than ${depthMax}`);
    const entries = new Map<string, ConfigValue>();
    this.#scopes.push(entries);
    for (;;) {
      this.#skip(/[\s,;]/);
      const isEnd = this.#at === this.#text.length;
      if (isEnd && openedAt >= 0) this.#fail(openedAt, 'this "{" is never closed');
      if (isEnd) break;
      if (this.#peek() === '}') {
        if (openedAt < 0) this.#fail(this.#at, 'this "}" closes nothing');
        this.#at += 1;
        break;
      }
      this.#readEntry(entries);
    }
    this.#scopes.pop();
    return Object.fromEntries(entries);
  }

  #readEntry(entries: Map<string, ConfigValue>): void {
    const keyAt = this.#at;
    const key = this.#isQuote() ? this.#readQuoted() : this.#readWhile(/[^\s:={}[\],;]/);
    if (key === '') this.#fail(keyAt, `a key was expected, not "${this.#peek()}"`);
    this.#skip(/\s/);
    const hasSeparator = this.#peek() === ':' || this.#peek() === '=';
    if (key === 'include' && !hasSeparator) {
      this.#fail(keyAt, 'include is not supported: put everything into one file');
    }
    if (hasSeparator) {
      this.#at += 1;
      this.#skip(/[ \t]/);
    } else if (this.#peek() !== '{' && this.#peek() !== '[' && this.#crossedLine(keyAt)) {
      this.#fail(keyAt, `"${key}" has no value`);
    }
    const value = this.#readValue(key);
    entries.set(key, value);
    if (typeof value !== 'object') this.#expectEntryEnd(key);
  }

  #expectEntryEnd(key: string): void {
    this.#skip(/[ \t\r]/);
    if (this.#at === this.#text.length || /[\n,;}]/.test(this.#peek())) return;
    this.#fail(
      this.#at,
      `a new line or a comma was expected after the value of "${key}" (quote text with spaces)`,
    );
  }

  #readValue(key: string): ConfigValue {
    const at = this.#at;
    if (this.#peek() === '{') {
      this.#at += 1;
      return this.#readEntries(at);
    }
    if (this.#peek() === '[') {
      this.#at += 1;
      return this.#readList(key, at);
    }
    if (this.#isQuote()) return this.#readQuoted();
    const word = this.#readWhile(/[^\s,;\]}]/);
    if (word === '') this.#fail(at, `"${key}" has no value`);
    if (word.startsWith('(')) this.#fail(at, 'block strings in parentheses are not supported: use quotes');
    return /^\$[A-Za-z_]\w*$/.test(word) ? this.#resolve(word.slice(1), at) : scalarValue(word);
  }

  #readList(key: string, openedAt: number): readonly ConfigValue[] {
    const items: ConfigValue[] = [];
    for (;;) {
      this.#skip(/[\s,]/);
      if (this.#at === this.#text.length) this.#fail(openedAt, 'this "[" is never closed');
      if (this.#peek() === ']') {
        this.#at += 1;
        return items;
      }
      if (this.#peek() === '[') this.#fail(this.#at, 'a list in a list is not supported');
      items.push(this.#readValue(key));
    }
  }

  #readQuoted(): string {
    const openedAt = this.#at;
    const quote = this.#peek();
    this.#at += 1;
    let value = '';
    while (this.#at < this.#text.length) {
      const character = this.#peek();
      this.#at += 1;
      if (character === quote) return value;
      value += character === '\\' && quote === '"' ? this.#readEscape() : character;
    }
    return this.#fail(openedAt, 'this quote is never closed');
  }

  #readEscape(): string {
    const character = this.#peek();
    this.#at += 1;
    const known = escapes.get(character);
    if (known !== undefined) return known;
    const digits = this.#text.slice(this.#at, this.#at + 2);
    if (character !== 'x' || !/^[0-9a-fA-F]{2}$/.test(digits)) {
      this.#fail(this.#at - 2, `"\\${character}" is no escape: \\n \\t \\r \\" \\\\ and \\xHH are`);
    }
    this.#at += 2;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #resolve(name: string, at: number): ConfigValue {
    const scope = this.#scopes.findLast((candidate) => candidate.has(name));
    const defined = scope?.get(name);
    if (defined !== undefined) return defined;
    const given = this.#environment[name];
    if (given === undefined) this.#fail(at, `$${name} is defined neither above nor in the environment`);
    return scalarValue(given);
  }

  /** Passes characters of one kind, and comments. */
  #skip(kind: RegExp): void {
    while (this.#at < this.#text.length) {
      if (this.#peek() === '#' || this.#text.startsWith('//', this.#at)) {
        const lineEnd = this.#text.indexOf('\n', this.#at);
        this.#at = lineEnd < 0 ? this.#text.length : lineEnd;
      } else if (kind.test(this.#peek())) this.#at += 1;
      else return;
    }
  }

  #readWhile(kind: RegExp): string {
    const start = this.#at;
    while (this.#at < this.#text.length && kind.test(this.#peek())) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #isQuote(): boolean {
    return this.#peek() === '"' || this.#peek() === "'";
  }

  #crossedLine(from: number): boolean {
    return this.#at === this.#text.length || this.#text.slice(from, this.#at).includes('\n');
  }

  #fail(at: number, reason: string): never {
    const before = this.#text.slice(0, at).split('\n');
    throw new ConfigError(before.length, (before.at(-1) as string).length + 1, reason);
  }
}
