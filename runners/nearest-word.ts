import { closest, distance } from 'fastest-levenshtein';

/** The known word that was probably meant, or null when none is near. */
export function nearestWord(written: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const candidate = closest(written.toLowerCase(), known);
  const edits = distance(written.toLowerCase(), candidate.toLowerCase());
  const isNear = edits <= Math.max(1, Math.floor(Math.max(written.length, candidate.length) / 3));
  return isNear || candidate.startsWith(written) || written.startsWith(candidate) ? candidate : null;
}
