// Fields of a message that arrives in chunks.
import { broken, readVarint, skipField, type WireReader } from "./reader.ts";

/** Where a field is among the bytes at hand; its end may be beyond what has come. */
export interface Field {
  readonly tag: number;
  /** Where its length is, if it has one, and where its content begins. */
  readonly lengthAt: number;
  readonly start: number;
  readonly end: number;
}

/** The bytes that have come and have not been read yet. */
export type Pending = ReturnType<typeof createPending>;

/** Of what is neither an item nor skipped: the type and the metadata of a list. */
const maxSmallBytes = 1024 * 1024;

export function createPending() {
  let bytes: Buffer = Buffer.alloc(0);
  let chunks: Buffer[] = [];
  let size = 0;
  let passed = 0;
  /** Up to where they have to reach before it is worth joining them. */
  let wantedEnd = 0;
  let skipLeft = 0;

  function has(end: number): boolean {
    if (end <= bytes.length) return true;
    wantedEnd = end;
    return false;
  }

  return {
    /** How many bytes of the message came before those at hand. */
    get passed() {
      return passed;
    },
    /** The bytes at hand with the next chunk; undefined while they are known to be too few. */
    join(chunk: Buffer): Buffer | undefined {
      const skipped = Math.min(skipLeft, chunk.length);
      skipLeft -= skipped;
      passed += skipped;
      const rest = skipped === 0 ? chunk : chunk.subarray(skipped);
      chunks.push(rest);
      size += rest.length;
      if (size < wantedEnd) return undefined;
      const [first = bytes] = chunks;
      bytes = chunks.length === 1 ? first : Buffer.concat(chunks, size);
      return bytes;
    },
    /** Whether the bytes at hand reach up to `end`; if not, the next ones are joined when they do. */
    has,
    /** The same of a field that must not be large. Throws ProtobufError when it is. */
    hasSmall(reader: WireReader, field: Field): boolean {
      if (field.end - field.start > maxSmallBytes)
        throw broken(reader, `a field has more than ${String(maxSmallBytes)} bytes`);
      return has(field.end);
    },
    /** Passes over a field, which need not have come. */
    skip({ end }: Field): number {
      skipLeft = Math.max(0, end - bytes.length);
      return end - skipLeft;
    },
    /** Keeps the bytes at hand from this place. */
    keep(from: number): void {
      passed += from;
      bytes = bytes.subarray(from);
      chunks = bytes.length === 0 ? [] : [bytes];
      size = bytes.length;
      wantedEnd = Math.max(0, wantedEnd - from);
    },
  };
}

const maxVarintBytes = 10;

/** The field that begins at the reader's place; undefined when its beginning has not come whole. */
export function openField(reader: WireReader, pending: Pending): Field | undefined {
  const { bytes } = reader;
  if (!hasVarint(bytes, reader.at)) return waiting(bytes, pending);
  const tag = readVarint(reader, bytes.length);
  const lengthAt = reader.at;
  const kind = tag & 7;
  if (kind === 1 || kind === 5) {
    const end = lengthAt + (kind === 1 ? 8 : 4);
    return { tag, lengthAt, start: end, end };
  }
  if (!hasVarint(bytes, lengthAt)) return waiting(bytes, pending);
  if (kind !== 2) {
    skipField(reader, tag, bytes.length);
    return { tag, lengthAt, start: reader.at, end: reader.at };
  }
  const length = readVarint(reader, bytes.length);
  if (!(length >= 0)) throw broken(reader, "a field is longer than its message");
  return { tag, lengthAt, start: reader.at, end: reader.at + length };
}

function waiting(bytes: Buffer, pending: Pending): undefined {
  pending.has(bytes.length + 1);
  return undefined;
}

/** One that is too long counts: whoever reads it says so. */
function hasVarint(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at++)
    if ((bytes[at] as number) < 128 || at - from >= maxVarintBytes) return true;
  return false;
}
