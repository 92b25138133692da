// A growing column of numbers in chunks: appending never copies what is there, so a long run has no pauses for growth.

type Numbers = Float64Array | Uint16Array | Uint8Array;

const chunkBits = 16;
const chunkLength = 1 << chunkBits;
const chunkMask = chunkLength - 1;

/** Cells start at zero. Indexes are below 2^32 and written in any order. */
export class Column<T extends Numbers> {
  readonly #allocate: (length: number) => T;
  readonly #chunks: T[] = [];

  constructor(allocate: (length: number) => T) {
    this.#allocate = allocate;
  }

  get(index: number): number {
    const chunk = this.#chunks[index >>> chunkBits];
    return chunk === undefined ? 0 : (chunk[index & chunkMask] as number);
  }

  set(index: number, value: number): void {
    const chunk = this.#chunks[index >>> chunkBits] ?? this.#extend(index >>> chunkBits);
    chunk[index & chunkMask] = value;
  }

  /** The first `length` cells in one array. */
  toArray(length: number): T {
    const result = this.#allocate(length);
    this.#chunks.forEach((chunk, position) => {
      const start = position * chunkLength;
      if (start < length) result.set(chunk.subarray(0, length - start) as never, start);
    });
    return result;
  }

  #extend(position: number): T {
    while (this.#chunks.length <= position) this.#chunks.push(this.#allocate(chunkLength));
    return this.#chunks[position] as T;
  }
}

export const float64Column = (): Column<Float64Array> => new Column((length) => new Float64Array(length));
export const uint16Column = (): Column<Uint16Array> => new Column((length) => new Uint16Array(length));
export const uint8Column = (): Column<Uint8Array> => new Column((length) => new Uint8Array(length));
