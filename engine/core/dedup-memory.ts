// Integer memory that goes back to the operating system when it is released, not when a garbage collection
// happens to come by: a window that empties while traffic trickles on would otherwise keep its peak for minutes.
// V8 keeps a resizable buffer in pages of its own and unmaps them on shrinking (the library types for it are ES2024).

interface ResizableBuffer extends ArrayBuffer {
  resize(byteLength: number): void;
}

type ResizableBufferConstructor = new (
  byteLength: number,
  options: { maxByteLength: number },
) => ResizableBuffer;

const pageBytes = 4096;
const Resizable = ArrayBuffer as unknown as ResizableBufferConstructor;

/** Integers in one page; a run takes whole pages. */
export const pageIntegers: number = pageBytes / 4;

/** At least `countMin` zeros, as many as whole pages hold. */
export function reserveIntegers(countMin: number): Int32Array {
  const byteLength = Math.ceil(countMin / pageIntegers) * pageBytes;
  return new Int32Array(new Resizable(byteLength, { maxByteLength: byteLength }));
}

/** Gives the memory back; the run has no elements from now on. Only for what `reserveIntegers` gave. */
export function releaseIntegers(integers: Int32Array): void {
  (integers.buffer as ResizableBuffer).resize(0);
}
