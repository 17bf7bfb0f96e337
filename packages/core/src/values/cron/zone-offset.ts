// Reads UTC offsets of a time zone from Intl.
import { rememberedOffset, sampledOffset, type ZoneOffset } from "./zone.ts";

/** Clocks are set at whole quarters of an hour, with a few exceptions, and reading a zone is slow. */
const quarterMs = 900_000;
const maxKnown = 1000;
/** No name of the IANA list is as long; offsets such as "+01:00" are none of its names. */
const properName = /^[A-Za-z][\w+/-]{0,63}$/;

/**
 * Offsets of an IANA zone from the runtime's own time zone data, which is all that the core reads from its runtime;
 * undefined for a name that it does not know.
 */
export function zoneOffset(timeZone: string): ZoneOffset | undefined {
  if (!properName.test(timeZone)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  } catch {
    return undefined;
  }
  return rememberedOffset(sampledOffset(read, quarterMs, maxKnown));

  function read(instantMs: number): number {
    const parts = new Map(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return local - Math.floor(instantMs / 1000) * 1000;
  }
}
