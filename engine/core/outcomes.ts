/** What became of a record, in `code`: one of these, or a JetStream error code (10003 and up). */
export const outcome = { none: 0, stored: 1, duplicate: 2, done: 3, ignored: 4 } as const;

/**
 * What applying a batch decided, one row a record in the batch's order: columns, so that a publish costs no object.
 * The host turns rows into replies. Reused from batch to batch.
 */
export class Outcomes {
  code = new Uint16Array(1024);
  /** Stored or original sequence of a publish. */
  sequence = new Float64Array(1024);
  /** The part of an error's text that varies, and answers of the API; both rare. */
  readonly detail = new Map<number, string>();
  readonly response = new Map<number, object>();
  count = 0;

  reset(recordCount: number): void {
    this.count = recordCount;
    // Clearing an empty map makes a new table that hangs on the old one, and once one of them is old, all are kept
    // until the next full collection.
    if (this.detail.size > 0) this.detail.clear();
    if (this.response.size > 0) this.response.clear();
    if (recordCount <= this.code.length) return;
    const capacity = 2 ** Math.ceil(Math.log2(recordCount));
    this.code = new Uint16Array(capacity);
    this.sequence = new Float64Array(capacity);
  }

  set(row: number, code: number, sequence: number): void {
    this.code[row] = code;
    this.sequence[row] = sequence;
  }

  fail(row: number, code: number, detail: string): void {
    this.code[row] = code;
    this.sequence[row] = 0;
    if (detail !== '') this.detail.set(row, detail);
  }
}
