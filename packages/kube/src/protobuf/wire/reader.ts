// Reads numbers, lengths and unknown fields of protobuf messages, and never beyond their ends.
import { noLabels } from "@plimsoll/core/internal/values";

/** The bytes are not what the API defines. The message names the byte. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** Where in a response the next byte is read; one for all messages in it, which costs nothing for each of them. */
export interface WireReader {
  readonly bytes: Buffer;
  at: number;
  /** The bytes as Latin-1, from which short strings are cut; "" where few are read. */
  readonly latin1: string;
  /** The last labels that were read, and where they are: many objects in a row have the same. */
  readonly labels: { start: number; end: number; value: Readonly<Record<string, string>> };
}

export function openReader(bytes: Buffer, options: { readonly hasShortTexts?: boolean } = {}): WireReader {
  const latin1 = options.hasShortTexts === true ? bytes.toString("latin1", 0, bytes.length) : "";
  return { bytes, at: 0, latin1, labels: { start: 0, end: 0, value: noLabels } };
}

/** A tag, a length or an unsigned number; one that is too large for them is beyond every end. */
export function readVarint(reader: WireReader, end: number): number {
  const { at, bytes } = reader;
  const byte = at < end ? (bytes[at] as number) : 128;
  if (byte > 127) return readInt64(reader, end);
  reader.at = at + 1;
  return byte;
}

/** A signed number of 64 bits; exact up to 2^53. */
export function readInt64(reader: WireReader, end: number): number {
  const { bytes } = reader;
  let low = 0;
  let high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (reader.at >= end) throw broken(reader, "the message ends inside a number");
    const byte = bytes[reader.at++] as number;
    const bits = byte & 127;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high = bits >>> 4;
    } else high |= bits << (shift - 32);
    if (byte < 128) return high * 4_294_967_296 + (low >>> 0);
  }
  throw broken(reader, "a number is too long");
}

/** A signed number of 32 bits, of which more are cut off. */
export function readInt32(reader: WireReader, end: number): number {
  const value = readInt64(reader, end);
  return Number.isSafeInteger(value) ? value | 0 : Number(BigInt.asIntN(32, BigInt(value)));
}

/** Reads the length of a string or a message, and returns where it ends. */
export function readEnd(reader: WireReader, end: number): number {
  const length = readVarint(reader, end);
  const own = reader.at + length;
  if (!(length >= 0 && own <= end)) throw broken(reader, "a field is longer than its message");
  return own;
}

/** Passes over the field of this tag, whatever it is. */
export function skipField(reader: WireReader, tag: number, end: number): void {
  switch (tag & 7) {
    case 0:
      readInt64(reader, end);
      break;
    case 1:
      reader.at += 8;
      break;
    case 2:
      reader.at = readEnd(reader, end);
      break;
    case 5:
      reader.at += 4;
      break;
    default:
      // Groups are the only ones that nest without a length; the API has none.
      throw broken(reader, `a field has the wire type ${String(tag & 7)}`);
  }
  if (reader.at > end) throw broken(reader, "a field is longer than its message");
}

export function broken({ at }: WireReader, what: string): ProtobufError {
  return new ProtobufError(`not Kubernetes' protobuf: ${what}, before byte ${String(at)}`);
}
