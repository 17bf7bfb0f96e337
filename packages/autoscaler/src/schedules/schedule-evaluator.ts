// Evaluates the schedules of objects, with a timer for the next change.

import { createRateLimit, createScheduleReader, lasts, type SharedSchedules } from "@plimsoll/calendars";
import type { Clock, EntryMeter } from "@plimsoll/component-base";
import type { Problem } from "@plimsoll/core/api";
import { type ScheduleSpec, type SchedulesRead, scheduledBounds } from "@plimsoll/core/schedules";
import { createKeyTimers } from "@plimsoll/kube";
import { keyOf, type ScalingObject, type StoredWla, wlaOf } from "../objects/scaling-object.ts";
import type { Scheduled } from "../objects/wla-extras.ts";
import { meterEntries } from "../telemetry/entries.ts";

interface EvaluatorDeps {
  readonly clock: Clock;
  readonly shared: SharedSchedules;
  readonly meter?: EntryMeter | undefined;
}

/** Keeps what was read of the schedules of each object. */
export interface ScheduleEvaluator {
  /** The object with the bounds that count now; the same object when it has no schedules. */
  withSchedules(hpa: ScalingObject): ScalingObject;
  /** A calendar has not been read yet, or its namespace has no work left; a listener is called when it is known. */
  isPending(hpa: ScalingObject): boolean;
  /** Calls `listener` when an object with schedules is to be evaluated: what they impose changed, or is known now. */
  subscribe(listener: (key: string) => void): void;
  drop(key: string): void;
  stop(): void;
}

interface Entry {
  readonly spec: ScalingObject["spec"];
  readonly read: SchedulesRead;
  readonly scheduled: Scheduled;
  readonly scheduledSpec: ScalingObject["spec"];
}

/** Keeps what was read of schedules, and reports when an object's state changes. */
export function createScheduleEvaluator({ clock, shared, meter }: EvaluatorDeps): ScheduleEvaluator {
  const { states } = shared;
  const reader = createScheduleReader({ ...shared, onRead: notify });
  const entries = new Map<string, Entry>();
  const listeners: ((key: string) => void)[] = [];
  const rateLimit = createRateLimit(clock);
  const timers = createKeyTimers(clock, (key) => {
    rateLimit.record(key, clock.nowMs());
    notify(key);
  });
  const { budget, store } = shared;
  const calendars = { calendar_requests: store.entries, calendar_budget: budget.entries };
  meterEntries(meter, "schedules", { evaluated: entries, read: reader.entries, timers, ...calendars });

  return {
    withSchedules(hpa) {
      if (hpa.kind === "HorizontalPodAutoscaler" || hpa.wla.schedules.length === 0) return hpa;
      return scheduledObject(hpa, entryOf(hpa, hpa.wla.schedules));
    },
    isPending(hpa) {
      const specs = wlaOf(hpa)?.schedules ?? [];
      if (specs.length === 0) return false;
      const nowMs = clock.nowMs();
      const { isPending, schedules } = readOf(hpa, specs, nowMs);
      if (isPending || states.isReady(keyOf(hpa), schedules)) return isPending;
      timers.set(keyOf(hpa), rateLimit.nextMs(keyOf(hpa), nowMs, nowMs));
      return true;
    },
    drop(key) {
      entries.delete(key);
      reader.drop(key);
      timers.delete(key);
    },
    subscribe: (listener) => void listeners.push(listener),
    stop: () => timers.stop(),
  };

  function notify(key: string): void {
    for (const listener of listeners) listener(key);
  }

  function entryOf(hpa: ScalingObject, specs: readonly ScheduleSpec[]): Entry {
    const key = keyOf(hpa);
    const nowMs = clock.nowMs();
    const known = entries.get(key);
    const read = readOf(hpa, specs, nowMs);
    if (known?.spec === hpa.spec && known.read === read && lasts(known.scheduled.state, nowMs)) return known;
    const state = states.stateOf(key, read.schedules, nowMs);
    const scheduled = { ...scheduledBounds(hpa.spec, state), problems: read.problems };
    const entry = { spec: hpa.spec, read, scheduled, scheduledSpec: { ...hpa.spec, ...scheduled.effective } };
    entries.set(key, entry);
    if (state.nextMs !== undefined) timers.set(key, rateLimit.nextMs(key, state.nextMs, nowMs));
    return entry;
  }

  function readOf(hpa: ScalingObject, specs: readonly ScheduleSpec[], nowMs: number) {
    const { minReplicas = 1, maxReplicas } = hpa.spec;
    return reader.read(keyOf(hpa), specs, { bounds: { minReplicas, maxReplicas }, nowMs });
  }
}

function scheduledObject(object: StoredWla, { read, scheduled, scheduledSpec }: Entry): StoredWla {
  const { wla } = object;
  const isUsable = !scheduled.isWithoutMetrics || read.schedules.length > 0;
  const problems = isUsable ? wla.problems : [...wla.problems, nothingLeft];
  return { ...object, spec: scheduledSpec, wla: { ...wla, problems, scheduled } };
}

const nothingLeft: Problem = {
  path: "spec.schedules",
  type: "Invalid",
  message: "every schedule entry is invalid, and no metrics are configured",
};
