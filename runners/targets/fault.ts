/** What the saboteur can do to one publish, or with `redeliver` to one ack. */
export type FaultKind = 'lose' | 'duplicate' | 'reorder' | 'redeliver' | 'false-duplicate' | 'stall';

export interface Fault {
  readonly kind: FaultKind;
  /** Which publish or ack it strikes, counted from 1. */
  readonly at: number;
  /** Of a stall; 0 otherwise. */
  readonly durationMs: number;
}

const faultText = /^(lose|duplicate|reorder|redeliver|false-duplicate|stall-(\d+)ms)@(\d+)$/;

/**
 * Reads `lose@100,stall-500ms@20`; the empty text is no fault.
 * @throws RangeError with the item and the form that it should have
 */
export function parseFaults(text: string): Fault[] {
  if (text === '') return [];
  return text.split(',').map(parseFault);
}

function parseFault(item: string): Fault {
  const match = faultText.exec(item);
  const at = Number(match?.[3] ?? 0);
  if (match === null || at < 1) {
    throw new RangeError(
      `fault ${JSON.stringify(item)}: write FAULT@N with N from 1 and FAULT one of lose, duplicate, reorder, ` +
        'redeliver, false-duplicate, stall-500ms; for example lose@100',
    );
  }
  const kind = (match[2] === undefined ? match[1] : 'stall') as FaultKind;
  return { kind, at, durationMs: Number(match[2] ?? 0) };
}
