// Reads strings, shared ones where many are equal. What is not UTF-8 is replaced, as it is in the JSON that servers send: a field of
// one object must not hide all the others of a list.
import { readEnd, readVarint, skipField, type WireReader } from "./reader.ts";

/** A string of its own. */
export function readText(reader: WireReader, end: number): string {
  const own = readEnd(reader, end);
  const start = reader.at;
  reader.at = own;
  return isAscii(reader.bytes, start, own)
    ? reader.bytes.toString("latin1", start, own)
    : reader.bytes.toString("utf8", start, own);
}

/** The longest one that the runtime copies: a part of a string refers to the whole of it, and so keeps a whole response. */
const maxCopied = 12;

/** A string that mostly is short and unlike others, such as a quantity. */
export function readShortText(reader: WireReader, end: number): string {
  const own = readEnd(reader, end);
  const { at: start, bytes, latin1 } = reader;
  reader.at = own;
  if (!isAscii(bytes, start, own)) return bytes.toString("utf8", start, own);
  if (latin1 !== "" && own - start <= maxCopied) return latin1.substring(start, own);
  return bytes.toString("latin1", start, own);
}

/** Longer ones are mostly unlike others. */
const maxShared = 64;
/** A power of two. With strings of `maxShared` bytes they take 400 kB at most. */
const slotCount = 4096;
/** The last string that was read for each hash of bytes. Whatever a server sends, there are no more. */
const slots: (string | undefined)[] = Array.from({ length: slotCount });

/** A string that many messages have: a key, a namespace, a phase. Equal ones are one string mostly, and cost no copy. */
export function readSharedText(reader: WireReader, end: number): string {
  const own = readEnd(reader, end);
  const { at: start, bytes } = reader;
  const length = own - start;
  if (length === 0) return "";
  let hash = length;
  let bits = 0;
  for (let at = start; at < own; at++) {
    const byte = bytes[at] as number;
    bits |= byte;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  reader.at = own;
  if (bits > 127) return bytes.toString("utf8", start, own);
  if (length > maxShared) return bytes.toString("latin1", start, own);
  const slot = (hash ^ (hash >>> 12)) & (slotCount - 1);
  const known = slots[slot];
  if (known?.length === length && isSame(known, bytes, start)) return known;
  return (slots[slot] = asKey(bytes.toString("latin1", start, own)));
}

function isSame(text: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}

/** The runtime's own copy of a string that is a key, which it need not look up at each use. */
function asKey(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? text;
}

/** The string in a message that has nothing else, such as a quantity. */
export function readQuantity(reader: WireReader, end: number): string {
  const own = readEnd(reader, end);
  let text = "";
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === quantityTag) text = readShortText(reader, own);
    else skipField(reader, tag, own);
  }
  return text;
}

/** Field 1 of a Quantity. */
export const quantityTag = (1 << 3) | 2;

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let bits = 0;
  for (let at = start; at < end; at++) bits |= bytes[at] as number;
  return bits < 128;
}
