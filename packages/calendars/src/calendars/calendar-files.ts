import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@plimsoll/component-base";
import { calendarLimits } from "./calendar-limits.ts";

/** The iCalendar files of a directory, by name; they are checked for changes when used, at most every ten seconds. */
export interface CalendarFiles {
  named(name: string): string | undefined;
  /** Another text when the file has changed. */
  version(name: string): string;
}

interface Known {
  readonly version: string;
  readonly text: string | undefined;
}

const lookAgainMs = 10_000;
const extension = ".ics";
const properName = /^[A-Za-z0-9][\w.-]*$/;
const largestBytes = 4 * calendarLimits.characters;

/** A directory that is undefined has no files. */
export function createCalendarFiles(
  directory: string | undefined,
  clock: Pick<Clock, "nowMs">,
): CalendarFiles {
  /** Files that are there: objects may name as many others as they like. */
  let known: ReadonlyMap<string, Known> = new Map();
  let lookedAtMs: number | undefined;
  return { named: (name) => look().get(name)?.text, version: (name) => look().get(name)?.version ?? "" };

  function look(): ReadonlyMap<string, Known> {
    const nowMs = clock.nowMs();
    const ageMs = nowMs - (lookedAtMs ?? -Infinity);
    if (ageMs >= 0 && ageMs < lookAgainMs) return known;
    lookedAtMs = nowMs;
    known = new Map(
      list().flatMap((name) => {
        const found = read(name, known.get(name));
        return found === undefined ? [] : [[name, found]];
      }),
    );
    return known;
  }

  function list(): readonly string[] {
    if (directory === undefined) return [];
    try {
      const names = readdirSync(directory).filter((file) => file.endsWith(extension));
      return names.map((file) => file.slice(0, -extension.length)).filter((name) => properName.test(name));
    } catch {
      // One that is not there, or not to be read, is a problem of the entries that name its files.
      return [];
    }
  }

  function read(name: string, before: Known | undefined): Known | undefined {
    const path = join(directory ?? "", `${name}${extension}`);
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const version = `${ino}:${mtimeMs}:${size}`;
      if (version === before?.version) return before;
      return { version, text: size > largestBytes ? undefined : readFileSync(path, "utf8") };
    } catch {
      return undefined;
    }
  }
}
