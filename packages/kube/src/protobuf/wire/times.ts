// Reads instants and durations.
import { Duration, Time } from "./numbers.ts";
import { readEnd, readInt64, readVarint, skipField, type WireReader } from "./reader.ts";

/**
 * A Time as the API writes it in JSON, such as "2026-01-01T00:00:00Z"; null when it is zero: that is an empty message, and
 * no seconds are 1970. Its nanoseconds do not count.
 *
 * @upstream apimachinery/pkg/apis/meta/v1/time_proto.go#Unmarshal
 */
export function readTime(reader: WireReader, end: number): string | null {
  const own = readEnd(reader, end);
  return reader.at === own ? null : instantText(readOnly(reader, own, Time.seconds));
}

/** Nanoseconds; exact up to 2^53, which is more than a hundred days. */
export function readDuration(reader: WireReader, end: number): number {
  return readOnly(reader, readEnd(reader, end), Duration.duration);
}

/** The number of a message that has one field, from behind its length to its end. */
function readOnly(reader: WireReader, own: number, wanted: number): number {
  let value = 0;
  while (reader.at < own) {
    const tag = readVarint(reader, own);
    if (tag === wanted) value = readInt64(reader, own);
    else skipField(reader, tag, own);
  }
  return value;
}

/** A power of two: scrapes of all pods happen within some seconds. */
const slotCount = 256;
/** The last instant that was read for each remainder. */
const slots: ({ readonly seconds: number; readonly text: string } | undefined)[] = Array.from({
  length: slotCount,
});

/** From the year 1 to the year 9999: what RFC 3339 can write. */
const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;

function instantText(seconds: number): string | null {
  const slot = seconds & (slotCount - 1);
  const known = slots[slot];
  if (known?.seconds === seconds) return known.text;
  if (seconds <= minSeconds || seconds > maxSeconds) return null;
  const text = `${new Date(seconds * 1000).toISOString().slice(0, -".000Z".length)}Z`;
  slots[slot] = { seconds, text };
  return text;
}
