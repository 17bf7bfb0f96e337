// Reads maps, entry by entry.
import { Entry } from "./numbers.ts";
import { readEnd, readVarint, skipField, type WireReader } from "./reader.ts";
import { readQuantity, readSharedText } from "./strings.ts";

/** Adds an entry whose value is a string. */
export function readTextEntry(reader: WireReader, end: number, record: Record<string, string>): void {
  const own = readEnd(reader, end);
  let key = "";
  let value = "";
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === Entry.key) key = readSharedText(reader, own);
    else if (tag === Entry.value) value = readSharedText(reader, own);
    else skipField(reader, tag, own);
  }
  put(record, key, value);
}

/** Adds an entry whose value is a quantity. */
export function readQuantityEntry(reader: WireReader, end: number, record: Record<string, string>): void {
  const own = readEnd(reader, end);
  let key = "";
  let value = "";
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === Entry.key) key = readSharedText(reader, own);
    else if (tag === Entry.value) value = readQuantity(reader, own);
    else skipField(reader, tag, own);
  }
  put(record, key, value);
}

/** The labels whose first entry, with its tag, starts at `start`; what was read last when the bytes are the same. */
export function readLabels(
  reader: WireReader,
  end: number,
  { tag, start }: { readonly tag: number; readonly start: number },
): Readonly<Record<string, string>> {
  const { bytes, labels } = reader;
  passEntries(reader, end, tag);
  const own = reader.at;
  if (isSame(bytes, labels, { start, end: own })) return labels.value;
  const value: Record<string, string> = {};
  reader.at = start;
  while (reader.at < own) {
    readVarint(reader, own);
    readTextEntry(reader, own, value);
  }
  labels.start = start;
  labels.end = own;
  labels.value = value;
  return value;
}

/** Passes over the entry whose tag has been read, and those behind it. */
function passEntries(reader: WireReader, end: number, tag: number): void {
  for (;;) {
    reader.at = readEnd(reader, end);
    const next = reader.at;
    if (next >= end || readVarint(reader, end) !== tag) {
      reader.at = next;
      return;
    }
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function isSame(bytes: Buffer, one: Range, other: Range): boolean {
  const length = one.end - one.start;
  if (other.end - other.start !== length) return false;
  for (let at = 0; at < length; at++) if (bytes[one.start + at] !== bytes[other.start + at]) return false;
  return true;
}

/** An assignment to "__proto__" would set the prototype. */
export function put<V>(record: Record<string, V>, key: string, value: V): void {
  if (key !== "__proto__") record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}
