/** Bytes that are collected piece by piece. */
export interface Bytes {
  readonly length: number;
  /** All of them, until more are added. */
  readonly bytes: Uint8Array;
  add(piece: Uint8Array): void;
  /** All of them; the next one begins empty. */
  take(): Uint8Array;
}

const minCapacity = 1024;

export function createBytes(): Bytes {
  let buffer = new Uint8Array(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    get bytes() {
      return buffer.subarray(0, length);
    },
    add(piece) {
      const needed = length + piece.length;
      if (needed > buffer.length) {
        const larger = new Uint8Array(Math.max(minCapacity, 2 * needed));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(piece, length);
      length = needed;
    },
    take() {
      const taken = buffer.subarray(0, length);
      buffer = new Uint8Array(0);
      length = 0;
      return taken;
    },
  };
}
