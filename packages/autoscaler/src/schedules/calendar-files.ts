import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@plimsoll/kube";

/** The iCalendar files of a directory, by name; what was looked at is looked at again after a while. */
export interface CalendarFiles {
  named(name: string): string | undefined;
  /** Another text when the file has changed. */
  version(name: string): string;
}

interface Known {
  readonly version: string;
  readonly text: string | undefined;
  readonly lookedAtMs: number;
}

const lookAgainMs = 10_000;
const properName = /^[A-Za-z0-9][\w.-]*$/;
const largestBytes = 4_000_000;

/** A directory that is undefined has no files. */
export function createCalendarFiles(
  directory: string | undefined,
  clock: Pick<Clock, "nowMs">,
): CalendarFiles {
  const known = new Map<string, Known>();
  return {
    named: (name) => look(name).text,
    version: (name) => look(name).version,
  };

  function look(name: string): Known {
    const before = known.get(name);
    const nowMs = clock.nowMs();
    const ageMs = nowMs - (before?.lookedAtMs ?? 0);
    if (before !== undefined && ageMs >= 0 && ageMs < lookAgainMs) return before;
    const found = { ...read(name, before), lookedAtMs: nowMs };
    known.set(name, found);
    return found;
  }

  function read(name: string, before: Known | undefined): Omit<Known, "lookedAtMs"> {
    if (directory === undefined || !properName.test(name)) return { version: "", text: undefined };
    const path = join(directory, `${name}.ics`);
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const version = `${ino}:${mtimeMs}:${size}`;
      if (version === before?.version) return before;
      return { version, text: size > largestBytes ? undefined : readFileSync(path, "utf8") };
    } catch {
      // One that is not there, or not to be read, is a problem of the entries that name it.
      return { version: "", text: undefined };
    }
  }
}
