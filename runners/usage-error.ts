/** What the user wrote cannot be done: a sentence with field, value and rule. The process ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** `problem`, then `did you mean …?` when one of the known words is near what was written. */
export function withSuggestion(problem: string, nearest: string | null): string {
  return nearest === null ? problem : `${problem}: did you mean "${nearest}"?`;
}
