// Invariant: a job that is due runs, once the faults are over.

import { createZones } from "@plimsoll/calendars";
import { type CronHpaSource, compileCronHpa } from "@plimsoll/core/cronhpa";
import { nextFiring } from "@plimsoll/core/schedules";
import { autoscalerConfig } from "../autoscaler/flags.ts";
import { hostileNamespace } from "../objects/hostile.ts";
import type { CreateInvariant, World } from "../run/world.ts";
import { cronHpaResource } from "./names.ts";

type Spec = CronHpaSource["spec"];

/** A run that is due so long before the end is logged by then, whatever it waits for. */
const runMs = 120_000;
/** Of the quiet time this much at the end is looked at. */
const windowMs = 360_000;

/**
 * At the end of the quiet time each job that was due in its last minutes has run, whatever came of it. Where a clock was set, a job may
 * wait until its time has come again.
 */
export const cronRunsDue: CreateInvariant = (world) => {
  const { cronHpa } = autoscalerConfig(world.scenario.setup);
  /** By object and job, for when its last run was due. */
  const ranMs = new Map<string, number>();
  let isClockSet = false;
  return {
    name: "cron-runs-due",
    observe(observation) {
      if (observation.kind === "fault" && observation.event.kind.startsWith("wall-clock")) isClockSet = true;
      if (observation.kind !== "logged" || observation.message !== "scheduled run") return undefined;
      const { cronHpa: object, job, due } = observation.fields;
      ranMs.set(`${String(object)} ${String(job)}`, Date.parse(String(due)));
      return undefined;
    },
    end() {
      if (cronHpa === undefined || isClockSet) return undefined;
      const fromMs = world.time.nowMs - windowMs;
      const due = dueJobs(world, cronHpa, { fromMs, untilMs: world.time.nowMs - runMs });
      const missed = due.find((job) => (ranMs.get(job) ?? 0) <= fromMs);
      if (missed !== undefined) return `${missed} was due, and did not run`;
      return due.length > 0 || undefined;
    },
  };
};

/** What was due in a span of time, by object and job. */
function dueJobs(
  { cluster: { store } }: World,
  defaults: Parameters<typeof compileCronHpa>[1],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly string[] {
  const zones = createZones();
  return store.list(cronHpaResource).flatMap(({ metadata, spec }) => {
    const { namespace = "", name } = metadata;
    // Hostile ones may use up what their namespace has.
    if (namespace === hostileNamespace) return [];
    const { excludeDates = [], ...rest } = spec as Partial<Spec> & Omit<Spec, "excludeDates">;
    const { jobs, offset } = compileCronHpa({ metadata, spec: { ...rest, excludeDates } }, defaults, zones);
    return jobs.flatMap((job) => {
      // Those at intervals count from their last run, and those that run once may have run.
      if (!job.plan.ok || job.isSingle || job.plan.schedule.kind === "every") return [];
      const dueMs = nextFiring(job.plan.schedule, fromMs, offset);
      return dueMs !== undefined && dueMs <= untilMs ? [`${namespace}/${name} ${job.name}`] : [];
    });
  });
}
