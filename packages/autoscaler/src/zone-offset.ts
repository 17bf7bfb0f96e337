import type { ZoneOffset } from "@plimsoll/core";

/** Clocks are set at whole quarters of an hour, and reading a zone is dear. */
const quarterMs = 900_000;
const mostKnown = 1000;

/** Offsets of IANA zones by name, as the runtime knows them; undefined for a name that it does not. */
export function createZones(): (timeZone: string) => ZoneOffset | undefined {
  const known = new Map<string, ZoneOffset | undefined>();
  return (timeZone) => {
    if (!known.has(timeZone)) known.set(timeZone, offsetOf(timeZone));
    return known.get(timeZone);
  };
}

function offsetOf(timeZone: string): ZoneOffset | undefined {
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
  const known = new Map<number, number>();
  return (instantMs) => {
    const quarter = Math.floor(instantMs / quarterMs);
    const offset = known.get(quarter) ?? read(instantMs);
    if (known.size > mostKnown) known.clear();
    known.set(quarter, offset);
    return offset;
  };

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
