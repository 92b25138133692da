import { subjectMatches } from '../base/subject.ts';
import { utf8Bytes } from '../base/text.ts';
import { latin1Text } from '../base/bytes.ts';

const unknown = 0;
const yes = 1;
const no = 2;

/**
 * Which subjects of a stream a consumer wants. Patterns are matched once for each subject number and remembered,
 * so the delivery path reads one byte.
 */
export class SubjectFilter {
  readonly #patterns: readonly string[];
  #answers = new Uint8Array(16);

  /** No pattern means every subject. Patterns are texts as the API carries them. */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.includes('>') ? [] : patterns.map(byteString);
  }

  get wantsAll(): boolean {
    return this.#patterns.length === 0;
  }

  /** `name` is only asked for when the number is new to the filter. */
  matches(subjectId: number, name: (subjectId: number) => string): boolean {
    if (this.#patterns.length === 0) return true;
    if (subjectId >= this.#answers.length) this.#grow(subjectId);
    const known = this.#answers[subjectId];
    if (known !== unknown) return known === yes;
    const matches = this.matchesName(name(subjectId));
    this.#answers[subjectId] = matches ? yes : no;
    return matches;
  }

  /** Whether the subject, given as byte string, is wanted. */
  matchesName(name: string): boolean {
    return this.#patterns.length === 0 || this.#patterns.some((pattern) => subjectMatches(pattern, name));
  }

  /** The number may be given to another subject from now on. */
  forget(subjectId: number): void {
    if (subjectId < this.#answers.length) this.#answers[subjectId] = unknown;
  }

  #grow(subjectId: number): void {
    const answers = new Uint8Array(Math.max(this.#answers.length * 2, subjectId + 1));
    answers.set(this.#answers);
    this.#answers = answers;
  }
}

/** The UTF-8 bytes of a text, one character each: how subjects are kept inside the core. */
export function byteString(text: string): string {
  const bytes = utf8Bytes(text);
  return latin1Text(bytes, 0, bytes.length);
}
