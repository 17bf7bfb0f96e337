import {
  type Problem,
  type ReplicaBounds,
  readSchedules,
  type ScheduledBounds,
  type ScheduleProblem,
  type SchedulesRead,
  scheduledBounds,
  scheduleState,
} from "@plimsoll/core";
import type { Clock } from "@plimsoll/kube";
import { createAlarm } from "../alarm.ts";
import { keyOf, type NativeHpa } from "../hpa/native-hpa.ts";
import { createZones } from "../zone-offset.ts";
import { calendarReader } from "./calendar.ts";
import type { CalendarFiles } from "./calendar-files.ts";
import { calendarSpan } from "./calendar-span.ts";

/** What the schedules of one object say now. */
export interface Scheduled extends ScheduledBounds {
  /** Entries that do not count; the others do. */
  readonly problems: readonly ScheduleProblem[];
}

export interface ScheduleBook {
  /** The object with the bounds that count now; the same object when it has no schedules. */
  withSchedules(hpa: NativeHpa): NativeHpa;
  drop(key: string): void;
  stop(): void;
}

interface Entry {
  readonly spec: NativeHpa["spec"];
  /** The entries as text: they are read again when it is another one. */
  readonly text: string;
  /** Versions of the calendars that they name. */
  readonly calendars: string;
  /** Calendars are read for some years at a time. */
  readonly fromMs: number;
  readonly read: SchedulesRead;
  readonly scheduled: Scheduled;
  readonly scheduledSpec: NativeHpa["spec"];
}

/** Keeps what was read of schedules, and rings when an object's state changes. */
export function createScheduleBook(o: {
  readonly clock: Clock;
  readonly ring: (key: string) => void;
  readonly calendars: CalendarFiles;
}): ScheduleBook {
  const entries = new Map<string, Entry>();
  const zone = createZones();
  const alarm = createAlarm(o.clock, o.ring);

  return {
    withSchedules(hpa) {
      const { wla } = hpa;
      if (wla === undefined || wla.schedules.length === 0) return hpa;
      const { scheduled, scheduledSpec } = entryOf(hpa, wla.schedules);
      const isUsable =
        !scheduled.isWithoutMetrics || wla.schedules.some((_, index) => isRead(scheduled, index));
      const problems = isUsable ? wla.problems : [...wla.problems, nothingLeft];
      return { ...hpa, spec: scheduledSpec, wla: { ...wla, problems, scheduled } };
    },
    drop: (key) => void entries.delete(key),
    stop: () => alarm.stop(),
  };

  function entryOf(hpa: NativeHpa, specs: NonNullable<NativeHpa["wla"]>["schedules"]): Entry {
    const key = keyOf(hpa);
    const nowMs = o.clock.nowMs();
    const known = entries.get(key);
    const calendars = calendarsOf(specs);
    if (known?.spec === hpa.spec && known.calendars === calendars && lasts(known, nowMs)) return known;
    const bounds: ReplicaBounds = {
      minReplicas: hpa.spec.minReplicas ?? 1,
      maxReplicas: hpa.spec.maxReplicas,
    };
    const text = JSON.stringify([specs, bounds, calendars]);
    const span = calendarSpan(nowMs);
    const isKnown = known?.text === text && known.fromMs === span.fromMs;
    const calendar = calendarReader({ ...span, zone, named: o.calendars.named });
    const read = isKnown ? known.read : readSchedules(specs, { zone, bounds, calendar });
    const state = scheduleState(read.schedules, nowMs);
    const scheduled = { ...scheduledBounds(hpa.spec, state), problems: read.problems };
    const scheduledSpec = { ...hpa.spec, ...scheduled.effective };
    const entry = { spec: hpa.spec, text, calendars, fromMs: span.fromMs, read, scheduled, scheduledSpec };
    entries.set(key, entry);
    if (state.nextMs !== undefined) alarm.set(key, state.nextMs);
    return entry;
  }

  function calendarsOf(specs: NonNullable<NativeHpa["wla"]>["schedules"]): string {
    const names = specs.flatMap(({ exclusions }) =>
      (exclusions ?? []).map(({ calendarName }) => calendarName),
    );
    return names.map((name) => (name === undefined ? "" : o.calendars.version(name))).join(" ");
  }
}

const nothingLeft: Problem = {
  path: "spec.schedules",
  type: "Invalid",
  message: "no entry can be used, and there are no metrics either",
};

function isRead({ problems }: Scheduled, index: number): boolean {
  return !problems.some((problem) => problem.index === index);
}

/** A clock that was set back leaves the span too. */
function lasts({ scheduled, fromMs }: Entry, nowMs: number): boolean {
  const { atMs, nextMs } = scheduled.state;
  return nowMs >= atMs && nowMs < (nextMs ?? Infinity) && calendarSpan(nowMs).fromMs === fromMs;
}
