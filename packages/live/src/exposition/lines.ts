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
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      let from = 0;
      if (rest.length > 0) {
        const end = bytes.indexOf(NEWLINE);
        const head = end < 0 ? bytes : bytes.subarray(0, end + 1);
        rest = Buffer.concat([rest, head]);
        if (end < 0) return rest.length <= maxBytes;
        const whole = rest;
        rest = bytes.subarray(0, 0);
        if (whole.length > maxBytes + 1 || !onLine(whole, 0, whole.length - 1)) return false;
        from = end + 1;
      }
      for (;;) {
        const end = bytes.indexOf(NEWLINE, from);
        if (end < 0) break;
        if (end - from > maxBytes || !onLine(bytes, from, end)) return false;
        from = end + 1;
      }
      bytes = bytes.subarray(from);
      // The chunk belongs to its sender, who may write into it again.
      rest = Buffer.from(bytes);
      return rest.length <= maxBytes;
    },
    end() {
      if (rest.length > 0) onLine(rest, 0, rest.length);
      rest = rest.subarray(0, 0);
    },
  };
}
