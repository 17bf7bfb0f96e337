import { type ZoneOffset, zoneOffset } from "@plimsoll/core/schedules";
import { CliError } from "../seams.ts";

/** The zone that --time-zone names. @throws CliError */
export function namedZone(name: string): ZoneOffset {
  const offset = zoneOffset(name);
  if (offset !== undefined) return offset;
  throw new CliError(
    `--time-zone ${JSON.stringify(name)} is not a time zone: use a name of the IANA list, such as Europe/Berlin`,
  );
}
