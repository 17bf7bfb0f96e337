// Time zones by name, with their offsets.
import { type ZoneOffset, zoneOffset } from "@plimsoll/core/schedules";

/** Longer than any name, so that what is cut off makes no name of another. */
const maxName = 100;

/** Offsets of IANA zones by name, each read once; undefined for a name that is none, which is not kept. */
export function createZones(): (timeZone: string) => ZoneOffset | undefined {
  const known = new Map<string, ZoneOffset>();
  return (timeZone) => {
    const key = timeZone.slice(0, maxName).toLowerCase();
    const found = known.get(key) ?? zoneOffset(timeZone);
    if (found !== undefined) known.set(key, found);
    return found;
  };
}
