import {
  type Problem,
  type ScheduledBounds,
  type ScheduleProblem,
  type SchedulesRead,
  scheduledBounds,
  scheduleState,
} from "@plimsoll/core";
import type { Clock } from "@plimsoll/kube";
import { createAlarm } from "../alarm.ts";
import { keyOf, type NativeHpa } from "../hpa/native-hpa.ts";
import type { ScheduleReader } from "./reader.ts";

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
  readonly read: SchedulesRead;
  readonly scheduled: Scheduled;
  readonly scheduledSpec: NativeHpa["spec"];
}

/** Keeps what was read of schedules, and rings when an object's state changes. */
export function createScheduleBook(o: {
  readonly clock: Clock;
  readonly ring: (key: string) => void;
  readonly reader: ScheduleReader;
}): ScheduleBook {
  const entries = new Map<string, Entry>();
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
    drop(key) {
      entries.delete(key);
      o.reader.drop(key);
    },
    stop: () => alarm.stop(),
  };

  function entryOf(hpa: NativeHpa, specs: NonNullable<NativeHpa["wla"]>["schedules"]): Entry {
    const key = keyOf(hpa);
    const nowMs = o.clock.nowMs();
    const known = entries.get(key);
    const { minReplicas = 1, maxReplicas } = hpa.spec;
    const read = o.reader.read(key, specs, { bounds: { minReplicas, maxReplicas }, nowMs });
    if (known?.spec === hpa.spec && known.read === read && lasts(known, nowMs)) return known;
    const state = scheduleState(read.schedules, nowMs);
    const scheduled = { ...scheduledBounds(hpa.spec, state), problems: read.problems };
    const entry = { spec: hpa.spec, read, scheduled, scheduledSpec: { ...hpa.spec, ...scheduled.effective } };
    entries.set(key, entry);
    if (state.nextMs !== undefined) alarm.set(key, state.nextMs);
    return entry;
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

/** A clock that was set back leaves it too. */
function lasts({ scheduled }: Entry, nowMs: number): boolean {
  const { atMs, nextMs } = scheduled.state;
  return nowMs >= atMs && nowMs < (nextMs ?? Infinity);
}
