import type { ZoneOffset } from "../src/decide/schedules/index.ts";

const known = new Map<string, ZoneOffset>();

/** The offsets of a zone as the runtime knows them. */
export function zone(timeZone: string): ZoneOffset | undefined {
  const before = known.get(timeZone);
  if (before !== undefined) return before;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  } catch {
    return undefined;
  }
  const offset: ZoneOffset = (ms) =>
    Date.parse(`${format.format(ms).replace(" ", "T")}Z`) - Math.floor(ms / 1000) * 1000;
  known.set(timeZone, offset);
  return offset;
}
