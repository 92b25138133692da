/** A connection as the generators see it: bytes out, bytes in. TCP, in-process, or either with faults in between. */
export interface Transport {
  /** Takes the bytes over; the caller does not touch them again. Returns false when the other side is behind. */
  write(bytes: Uint8Array): boolean;
  /** At most one handler of each kind; set before the first byte is due. The bytes are only valid during the call. */
  onData(handler: (bytes: Uint8Array) => void): void;
  onDrain(handler: () => void): void;
  onClose(handler: (error: Error | null) => void): void;
  close(): void;
}
