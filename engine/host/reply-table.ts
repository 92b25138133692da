import type { Stream } from '../core/stream.ts';

const initialRows = 1024;

/**
 * Where the answers of the open batch go: a reply subject for each row, in one byte arena, since the bytes of the
 * requests are gone by the time the batch is committed. Rows without a reply are empty.
 */
export class ReplyTable {
  bytes = new Uint8Array(64 * 1024);
  #ends = new Uint32Array(initialRows);
  /** Hash of a publish's message id, by row; 0 where it is not known. */
  hashes = new Int32Array(initialRows);
  /** The stream of a publish; undefined for other records. */
  readonly streams: (Stream | undefined)[] = [];
  rowCount = 0;

  /** Notes the reply subject of the next row. */
  add(row: number, source: Uint8Array, start: number, end: number, stream: Stream | undefined): void {
    while (this.rowCount < row) this.#push(undefined);
    const at = this.rowCount === 0 ? 0 : (this.#ends[this.rowCount - 1] as number);
    if (at + end - start > this.bytes.length) this.#grow(at + end - start);
    for (let index = start; index < end; index += 1) {
      this.bytes[at + index - start] = source[index] as number;
    }
    this.#push(stream, at + end - start);
  }

  setHash(row: number, hash: number): void {
    this.hashes[row] = hash;
  }

  start(row: number): number {
    return row === 0 || row > this.rowCount ? 0 : (this.#ends[row - 1] as number);
  }

  end(row: number): number {
    return row >= this.rowCount ? this.start(row) : (this.#ends[row] as number);
  }

  clear(): void {
    this.rowCount = 0;
  }

  #push(stream: Stream | undefined, end: number = this.start(this.rowCount)): void {
    if (this.rowCount === this.#ends.length) {
      const ends = new Uint32Array(this.#ends.length * 2);
      ends.set(this.#ends);
      this.#ends = ends;
      const hashes = new Int32Array(ends.length);
      hashes.set(this.hashes);
      this.hashes = hashes;
    }
    this.#ends[this.rowCount] = end;
    this.streams[this.rowCount] = stream;
    this.hashes[this.rowCount] = 0;
    this.rowCount += 1;
  }

  #grow(bytesMin: number): void {
    const bytes = new Uint8Array(Math.max(bytesMin, this.bytes.length * 2));
    bytes.set(this.bytes);
    this.bytes = bytes;
  }
}
