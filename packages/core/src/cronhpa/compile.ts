import { type CronSchedule, parseCron } from "../cron/schedule.ts";
import type { ZoneOffset } from "../cron/zone.ts";
import { isExcludedDay } from "./excluded-day.ts";
import { readCronHpaSchedule } from "./read-schedule.ts";

/** One of spec.jobs, as the API server fills it in. */
export interface CronHpaJob {
  readonly name: string;
  readonly schedule: string;
  readonly targetSize: number;
  readonly runOnce: boolean;
}

/** What counts of a CronHorizontalPodAutoscaler. */
export interface CronHpaSource {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
    readonly excludeDates: readonly string[];
    readonly jobs: readonly CronHpaJob[];
  };
}

/** What a job may do to the bounds of an HPA. */
export type CronHpaBoundsPolicy =
  /** Move them out of the way, as the original controller does. */
  | "Move"
  /** Leave them alone. */
  | "Keep"
  /** Leave them alone and scale only within them. */
  | "Within";

export const cronHpaBoundsPolicies: readonly CronHpaBoundsPolicy[] = ["Move", "Keep", "Within"];

/** What holds for objects that say nothing else. */
export interface CronHpaDefaults {
  readonly timeZone: string;
  readonly bounds: CronHpaBoundsPolicy;
}

export interface CompiledCronHpaJob extends CronHpaJob {
  /** Runs once in its life: by its own word or by its date. */
  readonly isSingle: boolean;
  readonly plan:
    | { readonly ok: true; readonly schedule: CronSchedule }
    | { readonly ok: false; readonly message: string };
  /** What the user should know, and does not stop anything. */
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

export interface CompiledCronHpa {
  readonly jobs: readonly CompiledCronHpaJob[];
  readonly bounds: CronHpaBoundsPolicy;
  readonly timeZone: string;
  readonly offset: ZoneOffset;
  /** The entry of excludeDates that names the day of this instant; undefined when none does. */
  readonly exclusionAt: (instantMs: number) => string | undefined;
}

const timeZoneAnnotation = "autoscaling.plimsoll.dev/time-zone";
const boundsAnnotation = "autoscaling.plimsoll.dev/cron-hpa-bounds";

/** Reads every job by itself: what is wrong with one, or with all of them, stops nothing else. */
export function compileCronHpa(
  object: CronHpaSource,
  defaults: CronHpaDefaults,
  zones: (timeZone: string) => ZoneOffset | undefined,
): CompiledCronHpa {
  const { annotations = {} } = object.metadata;
  const timeZone = annotations[timeZoneAnnotation] ?? defaults.timeZone;
  const offset = zones(timeZone);
  const wanted = annotations[boundsAnnotation] ?? defaults.bounds;
  const bounds = cronHpaBoundsPolicies.find((policy) => policy === wanted);
  const problem =
    targetProblem(object) ??
    (offset === undefined ? `time zone ${JSON.stringify(timeZone)} is not known` : undefined) ??
    (bounds === undefined
      ? `${boundsAnnotation} is ${JSON.stringify(wanted)} and none of ${cronHpaBoundsPolicies.join(", ")}`
      : undefined);

  const exclusions = object.spec.excludeDates.map((text) => ({ text, rule: parseCron(text, "cronhpa") }));
  const ignored = exclusions
    .filter(({ rule }) => rule?.kind !== "fields")
    .map(({ text }) => ({
      reason: "ExclusionIgnored",
      message: `${JSON.stringify(text)} of excludeDates names no day and is ignored`,
    }));
  const names = new Set<string>();
  const jobs = object.spec.jobs.map((job): CompiledCronHpaJob => {
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

function targetProblem({ spec }: CronHpaSource): string | undefined {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  if (kind === "" || name === "") return "scaleTargetRef names no kind or no object";
  // Of an HPA only the kind counts, as it always has.
  if (kind === "HorizontalPodAutoscaler" || groupOfApiVersion(apiVersion) !== undefined) return undefined;
  return `scaleTargetRef.apiVersion ${JSON.stringify(apiVersion)} is not of the form group/version`;
}

/**
 * The group of an apiVersion: "" for the core group, whose versions have no slash; undefined when it is no apiVersion.
 */
export function groupOfApiVersion(apiVersion: string): string | undefined {
  const parts = apiVersion.split("/");
  const [group = "", version] = parts;
  if (parts.length === 1) return /^v\d/.test(group) ? "" : undefined;
  return parts.length === 2 && group !== "" && version !== "" ? group : undefined;
}

function jobProblem({ name, targetSize }: CronHpaJob, isTaken: boolean): string | undefined {
  if (isTaken) return `another job has the name ${JSON.stringify(name)}`;
  return targetSize < 0 ? `targetSize ${targetSize} is negative` : undefined;
}

function fiveFields(schedule: string): CompiledCronHpaJob["warnings"][number] {
  const message = `${JSON.stringify(schedule)} has five fields, and the first of them is read as seconds`;
  return { reason: "SecondsFirst", message };
}
