// Reads what an object is called from its first bytes.
import { AnyObject, ObjectMeta } from "../wire/numbers.ts";
import { ProtobufError, readVarint, skipField, type WireReader } from "../wire/reader.ts";
import { readText } from "../wire/strings.ts";

/** What an object is called, as far as its first bytes show it. */
export interface ReadNames {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Reads from `start`, behind the length of the object, up to `end`, which may be anywhere in it. */
export function readNames(reader: WireReader, start: number, end: number): ReadNames {
  const found: { -readonly [K in keyof ReadNames]: ReadNames[K] } = {
    namespace: undefined,
    name: undefined,
    resourceVersion: undefined,
  };
  reader.at = start;
  try {
    while (reader.at < end) {
      const tag = readVarint(reader, end);
      if (tag !== AnyObject.metadata) {
        skipField(reader, tag, end);
        continue;
      }
      const length = readVarint(reader, end);
      readInto(found, reader, Math.min(reader.at + length, end));
    }
  } catch (error) {
    // The first bytes end inside a field.
    if (!(error instanceof ProtobufError)) throw error;
  }
  return found;
}

function readInto(
  found: { -readonly [K in keyof ReadNames]: ReadNames[K] },
  reader: WireReader,
  end: number,
): void {
  while (reader.at < end) {
    const tag = readVarint(reader, end);
    if (tag === ObjectMeta.name) found.name = readText(reader, end) || undefined;
    else if (tag === ObjectMeta.namespace) found.namespace = readText(reader, end) || undefined;
    else if (tag === ObjectMeta.resourceVersion) found.resourceVersion = readText(reader, end) || undefined;
    else skipField(reader, tag, end);
  }
}
