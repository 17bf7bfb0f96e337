import {
  type CronSchedule,
  isExcludedDay,
  parseCron,
  readCronHpaSchedule,
  type ZoneOffset,
} from "@plimsoll/core";
import { type CronHpa, type CronHpaJob, groupOf, hpaKind } from "./cron-hpa.ts";

/** What a job may do to the bounds of an HPA. */
export type BoundsPolicy =
  /** Move them out of the way, as the original controller does. */
  | "Move"
  /** Leave them alone. */
  | "Keep"
  /** Leave them alone and scale only within them. */
  | "Within";

export const boundsPolicies: readonly BoundsPolicy[] = ["Move", "Keep", "Within"];

/** What holds for objects that say nothing else. */
export interface CronHpaDefaults {
  readonly timeZone: string;
  readonly bounds: BoundsPolicy;
}

export interface CompiledJob extends CronHpaJob {
  /** Runs once in its life: by its own word or by its date. */
  readonly isSingle: boolean;
  readonly plan:
    | { readonly ok: true; readonly schedule: CronSchedule }
    | { readonly ok: false; readonly message: string };
  /** What the user should know, and does not stop anything. */
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

export interface CompiledCronHpa {
  readonly jobs: readonly CompiledJob[];
  readonly bounds: BoundsPolicy;
  readonly timeZone: string;
  readonly offset: ZoneOffset;
  /** The entry of excludeDates that names the day of this instant; undefined when none does. */
  readonly exclusionAt: (instantMs: number) => string | undefined;
}

export const timeZoneAnnotation = "autoscaling.plimsoll.dev/time-zone";
export const boundsAnnotation = "autoscaling.plimsoll.dev/cron-hpa-bounds";

/** Reads every job by itself: what is wrong with one, or with all of them, stops nothing else. */
export function compileCronHpa(
  object: CronHpa,
  defaults: CronHpaDefaults,
  zones: (timeZone: string) => ZoneOffset | undefined,
): CompiledCronHpa {
  const { annotations = {} } = object.metadata;
  const timeZone = annotations[timeZoneAnnotation] ?? defaults.timeZone;
  const offset = zones(timeZone);
  const wanted = annotations[boundsAnnotation] ?? defaults.bounds;
  const bounds = boundsPolicies.find((policy) => policy === wanted);
  const problem =
    targetProblem(object) ??
    (offset === undefined ? `time zone ${JSON.stringify(timeZone)} is not known` : undefined) ??
    (bounds === undefined
      ? `${boundsAnnotation} is ${JSON.stringify(wanted)} and none of ${boundsPolicies.join(", ")}`
      : undefined);

  const exclusions = object.spec.excludeDates.map((text) => ({ text, rule: parseCron(text, "cronhpa") }));
  const ignored = exclusions
    .filter(({ rule }) => rule?.kind !== "fields")
    .map(({ text }) => ({
      reason: "ExclusionIgnored",
      message: `${JSON.stringify(text)} of excludeDates names no day and is ignored`,
    }));
  const names = new Set<string>();
  const jobs = object.spec.jobs.map((job): CompiledJob => {
    const read = readCronHpaSchedule(job.schedule);
    const isTaken = names.has(job.name);
    names.add(job.name);
    const message = problem ?? jobProblem(job, isTaken) ?? (read.ok ? undefined : read.message);
    return {
      ...job,
      isSingle: job.runOnce || job.schedule.trim().startsWith("@date "),
      plan:
        message === undefined && read.ok
          ? { ok: true, schedule: read.schedule }
          : { ok: false, message: message ?? "" },
      warnings: [...(read.ok && read.hasFiveFields ? [fiveFields(job.schedule)] : []), ...ignored],
    };
  });
  return {
    jobs,
    bounds: bounds ?? "Keep",
    timeZone,
    offset: offset ?? (() => 0),
    exclusionAt(instantMs) {
      const localMs = instantMs + (offset?.(instantMs) ?? 0);
      return exclusions.find(({ rule }) => rule !== undefined && isExcludedDay(rule, localMs))?.text;
    },
  };
}

function targetProblem({ spec }: CronHpa): string | undefined {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  if (kind === "" || name === "") return "scaleTargetRef names no kind or no object";
  // Of an HPA only the kind counts, as it always has.
  if (kind === hpaKind || groupOf(apiVersion) !== undefined) return undefined;
  return `scaleTargetRef.apiVersion ${JSON.stringify(apiVersion)} is not of the form group/version`;
}

function jobProblem({ name, targetSize }: CronHpaJob, isTaken: boolean): string | undefined {
  if (isTaken) return `another job has the name ${JSON.stringify(name)}`;
  return targetSize < 0 ? `targetSize ${targetSize} is negative` : undefined;
}

function fiveFields(schedule: string): CompiledJob["warnings"][number] {
  const message = `${JSON.stringify(schedule)} has five fields, and the first of them is read as seconds`;
  return { reason: "SecondsFirst", message };
}
