// Cuts chunks of bytes into lines, without copying those that lie within one chunk.

const NEWLINE = 10;

export interface LineCutter {
  /** False when a line is longer than allowed; then nothing more is read. */
  push(chunk: Uint8Array): boolean;
  /** Hands over what follows the last line break. */
  end(): void;
}

/** @param onLine called with each line, without its line break; false ends the reading. */
export function createLineCutter(
  maxBytes: number,
  onLine: (bytes: Buffer, from: number, to: number) => boolean,
): LineCutter {
  /** Has the start of a line, and grows as a whole: a sender could make each byte a chunk. */
  let held: Buffer = Buffer.alloc(0);
  let length = 0;
  /** The chunk belongs to its sender, who may write into it again. */
  const keep = (bytes: Buffer): boolean => {
    const needed = length + bytes.length;
    if (needed > maxBytes) return false;
    if (needed > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * held.length));
      held.copy(larger, 0, 0, length);
      held = larger;
    }
    bytes.copy(held, length);
    length = needed;
    return true;
  };
  const endLine = (): boolean => {
    const bytes = length;
    length = 0;
    return onLine(held, 0, bytes);
  };
  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      let from = 0;
      if (length > 0) {
        const end = bytes.indexOf(NEWLINE);
        if (!keep(end < 0 ? bytes : bytes.subarray(0, end))) return false;
        if (end < 0) return true;
        if (!endLine()) return false;
        from = end + 1;
      }
      for (;;) {
        const end = bytes.indexOf(NEWLINE, from);
        if (end < 0) break;
        if (end - from > maxBytes || !onLine(bytes, from, end)) return false;
        from = end + 1;
      }
      return keep(bytes.subarray(from));
    },
    end() {
      if (length > 0) endLine();
    },
  };
}
