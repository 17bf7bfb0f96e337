// Finds where a value ends, without reading it.

/** Where a scan is within one value, from chunk to chunk. */
export interface Nesting {
  /** Open arrays and objects. */
  depth: number;
  inString: boolean;
  /** In a string, after a backslash that escapes what comes next. */
  isEscaped: boolean;
}

export const quote = 0x22;
const backslash = 0x5c;
export const comma = 0x2c;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

export function newNesting(): Nesting {
  return { depth: 0, inString: false, isEscaped: false };
}

/** The place of the first byte from `from` that is not white space; the length of the bytes when there is none. */
export function passSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * The place of the comma or bracket that ends the value; the length of the bytes when it goes on. Brackets are only counted: that
 * each is closed by its own kind is up to whoever parses the value.
 */
export function passValue(nesting: Nesting, bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let { depth } = nesting;
  let at = nesting.inString ? passString(nesting, bytes, from) : from;
  for (; at < length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      nesting.inString = true;
      at = passString(nesting, bytes, at + 1) - 1;
    } else if (byte === openObject || byte === openArray) depth++;
    else if (byte === closeObject || byte === closeArray) {
      if (depth === 0) break;
      depth--;
    } else if (byte === comma && depth === 0) break;
  }
  nesting.depth = depth;
  return at;
}

/** Most strings are shorter: calling indexOf costs more than reading this many bytes. */
const shortLength = 48;

/** The place behind the string's closing quote; the length of the bytes when it goes on. */
export function passString(nesting: Nesting, bytes: Uint8Array, from: number): number {
  let at = from;
  if (nesting.isEscaped && at < bytes.length) {
    nesting.isEscaped = false;
    at++;
  }
  for (;;) {
    const soon = Math.min(at + shortLength, bytes.length);
    while (at < soon) {
      const byte = bytes[at++];
      if (byte === quote) {
        nesting.inString = false;
        return at;
      }
      if (byte === backslash) at++;
    }
    const end = at < bytes.length ? bytes.indexOf(quote, at) : -1;
    if (end === -1) {
      // What a backslash escapes may be in the next chunk.
      nesting.isEscaped = at > bytes.length || isEscapedAt(bytes, bytes.length, at);
      return bytes.length;
    }
    if (!isEscapedAt(bytes, end, at)) {
      nesting.inString = false;
      return end + 1;
    }
    at = end + 1;
  }
}

/** Whether the byte at this place follows an odd number of backslashes, none of them before `from`. */
function isEscapedAt(bytes: Uint8Array, place: number, from: number): boolean {
  let at = place;
  while (at > from && bytes[at - 1] === backslash) at--;
  return (place - at) % 2 === 1;
}
