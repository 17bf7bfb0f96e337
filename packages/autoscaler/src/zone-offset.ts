import { type ZoneOffset, zoneOffset } from "@plimsoll/core";

/** Offsets of IANA zones by name, each read once; undefined for a name that is none. */
export function createZones(): (timeZone: string) => ZoneOffset | undefined {
  const known = new Map<string, ZoneOffset | undefined>();
  return (timeZone) => {
    if (!known.has(timeZone)) known.set(timeZone, zoneOffset(timeZone));
    return known.get(timeZone);
  };
}
