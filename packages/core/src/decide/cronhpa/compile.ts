// Compiles the jobs of a CronHorizontalPodAutoscaler.
import { type CronSchedule, parseCron } from "../../values/cron/schedule.ts";
import type { ZoneOffset } from "../../values/cron/zone.ts";
import { dayMs } from "../../values/units.ts";
import { isExcludedDay } from "./excluded-day.ts";
import { countProblem, cronHpaLimits, lengthProblem, shownText } from "./limits.ts";
import { type CronHpaSchedule, readCronHpaSchedule } from "./read-schedule.ts";

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

/** What a job may do to an HPA whose bounds are in its way. */
export const cronHpaBoundsPolicies: readonly CronHpaBoundsPolicy[] = ["Move", "Keep", "Within"];

/** What holds for objects that say nothing else. */
export interface CronHpaDefaults {
  readonly timeZone: string;
  readonly bounds: CronHpaBoundsPolicy;
}

/** One job of a CronHorizontalPodAutoscaler that was read. */
export interface CompiledCronHpaJob extends CronHpaJob {
  /** Runs once in its life: by its own word or by its date. */
  readonly isSingle: boolean;
  /** Its schedule, or what else is wrong. */
  readonly plan: CronHpaSchedule | { readonly ok: false; readonly reason?: never; readonly message: string };
  /** What the user should know, and does not stop anything. */
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
}

/** A CronHorizontalPodAutoscaler that was read, with its problems. */
export interface CompiledCronHpa {
  readonly jobs: readonly CompiledCronHpaJob[];
  readonly bounds: CronHpaBoundsPolicy;
  readonly timeZone: string;
  readonly offset: ZoneOffset;
  /** The entry of excludeDates that names the day of this instant; undefined when none does. */
  readonly exclusionAt: (instantMs: number) => string | undefined;
}

/** More than so many are not named one by one. */
const maxNamed = 5;
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
  const known = zones(timeZone);
  const wanted = annotations[boundsAnnotation] ?? defaults.bounds;
  const bounds = cronHpaBoundsPolicies.find((policy) => policy === wanted);
  const problem =
    countProblem("jobs", object.spec.jobs) ??
    countProblem("excludeDates", object.spec.excludeDates) ??
    targetProblem(object) ??
    (known === undefined ? `unknown time zone ${shownText(timeZone)}` : undefined) ??
    (bounds === undefined
      ? `${boundsAnnotation} is ${shownText(wanted)}, but must be one of ${cronHpaBoundsPolicies.join(", ")}`
      : undefined);
  const exclusions = object.spec.excludeDates
    .slice(0, cronHpaLimits.excludeDates)
    .map((text) => ({ text, rule: parseCron(text, "cronhpa") }));
  const offset = known ?? (() => 0);
  return {
    jobs: compileJobs(object.spec.jobs, problem, ignoredExclusions(exclusions)),
    bounds: bounds ?? "Keep",
    timeZone,
    offset,
    exclusionAt: exclusionLookup(exclusions, offset),
  };
}

type Warning = CompiledCronHpaJob["warnings"][number];

/** An entry of excludeDates; without a rule it cannot be read. */
interface Exclusion {
  readonly text: string;
  readonly rule: CronSchedule | undefined;
}

function ignoredExclusions(exclusions: readonly Exclusion[]): readonly Warning[] {
  return exclusions
    .filter(({ rule }) => rule?.kind !== "fields")
    .slice(0, maxNamed)
    .map(({ text }) => ({
      reason: "ExclusionIgnored",
      message: `${shownText(text)} in excludeDates is not a day and is ignored`,
    }));
}

function compileJobs(
  jobs: readonly CronHpaJob[],
  problem: string | undefined,
  warnings: readonly Warning[],
): readonly CompiledCronHpaJob[] {
  const names = new Set<string>();
  return jobs.slice(0, cronHpaLimits.jobs).map((job) => {
    const read = readCronHpaSchedule(job.schedule);
    const isTaken = names.has(job.name);
    names.add(job.name);
    const message = problem ?? jobProblem(job, isTaken);
    return {
      ...job,
      isSingle: job.runOnce || job.schedule.trim().startsWith("@date "),
      plan: message === undefined ? read : { ok: false, message },
      warnings: [...(read.ok && read.hasFiveFields ? [fiveFields(job.schedule)] : []), ...warnings],
    };
  });
}

/** The last day is kept, since jobs that are due each second look up the same day. */
function exclusionLookup(
  exclusions: readonly Exclusion[],
  offset: ZoneOffset,
): CompiledCronHpa["exclusionAt"] {
  let last: { readonly day: number; readonly text: string | undefined } | undefined;
  return (instantMs) => {
    const localMs = instantMs + offset(instantMs);
    const day = Math.floor(localMs / dayMs);
    if (last?.day !== day) {
      const text = exclusions.find(({ rule }) => rule !== undefined && isExcludedDay(rule, localMs))?.text;
      last = { day, text };
    }
    return last.text;
  };
}

function targetProblem({ spec }: CronHpaSource): string | undefined {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  const tooLong =
    lengthProblem("scaleTargetRef.apiVersion", apiVersion) ??
    lengthProblem("scaleTargetRef.kind", kind) ??
    lengthProblem("scaleTargetRef.name", name);
  if (tooLong !== undefined) return tooLong;
  if (kind === "" || name === "") return "scaleTargetRef needs a kind and a name";
  // Of an HPA only the kind counts, as it always has.
  if (kind === "HorizontalPodAutoscaler" || groupOfApiVersion(apiVersion) !== undefined) return undefined;
  return `scaleTargetRef.apiVersion ${JSON.stringify(apiVersion)} must have the form group/version`;
}

/**
 * The group of an apiVersion: "" for the core group, whose versions have no slash; undefined when it is not an apiVersion.
 */
export function groupOfApiVersion(apiVersion: string): string | undefined {
  const parts = apiVersion.split("/");
  const [group = "", version] = parts;
  if (parts.length === 1) return /^v\d/.test(group) ? "" : undefined;
  return parts.length === 2 && group !== "" && version !== "" ? group : undefined;
}

function jobProblem({ name, targetSize }: CronHpaJob, isTaken: boolean): string | undefined {
  const tooLong = lengthProblem("name", name);
  if (tooLong !== undefined) return tooLong;
  if (isTaken) return `the name ${JSON.stringify(name)} is already used by another job`;
  return targetSize < 0 ? `targetSize ${targetSize} is negative` : undefined;
}

function fiveFields(schedule: string): Warning {
  const message = `${JSON.stringify(schedule)} has five fields, so its first field is read as seconds`;
  return { reason: "SecondsFirst", message };
}
