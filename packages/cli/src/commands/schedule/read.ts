// Reads WorkloadAutoscalers with schedules out of a file.
import { calendarReader } from "@plimsoll/calendars";
import type { ReplicaBounds, ScheduleProblem } from "@plimsoll/core";
import { type Fields, fieldsOf, type Remark, textOf } from "@plimsoll/core/internal/values";
import { readSchedules, type Schedule, type ScheduleSpec, zoneOffset } from "@plimsoll/core/schedules";
import {
  type ConvertProblem,
  hpaBounds,
  readSources,
  type SourceObject,
} from "@plimsoll/migration/manifests";

/** A WorkloadAutoscaler of the file, with those of its schedules that can be used. */
export interface ScheduledObject {
  readonly namespace: string;
  readonly name: string;
  /** Those that count while no schedule holds. */
  readonly bounds: ReplicaBounds;
  /** Present where the bounds are those of an HPA, which are moved. */
  readonly hpa?: {
    readonly name: string;
    /** They are moved inside of these only. */
    readonly outer: ReplicaBounds;
    /** Whether the file has it; otherwise the outer bounds replace its own. */
    readonly isKnown: boolean;
  };
  readonly schedules: readonly Schedule[];
}

export interface FileRead {
  readonly objects: readonly ScheduledObject[];
  readonly problems: readonly ConvertProblem[];
}

export interface ReadOptions {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calendars: ReadonlyMap<string, string>;
}

const group = "autoscaling.plimsoll.dev/";

/** All WorkloadAutoscalers of a file; what is wrong with one leaves the others usable. */
export function readFile(text: string, file: string, options: ReadOptions): FileRead {
  const { objects, problems } = readSources(text, file);
  const found = objects
    .filter(({ apiVersion, kind }) => apiVersion.startsWith(group) && kind === "WorkloadAutoscaler")
    .map((source) => readObject(source, { ...options, all: objects }));
  return {
    objects: found.map(({ object }) => object),
    problems: [...problems, ...found.flatMap((one) => one.problems)],
  };
}

function readObject(
  { value, locate }: SourceObject,
  options: ReadOptions & { readonly all: readonly SourceObject[] },
): { readonly object: ScheduledObject; readonly problems: readonly ConvertProblem[] } {
  const spec = fieldsOf(value["spec"]);
  const metadata = fieldsOf(value["metadata"]);
  const outer = boundsOf(spec);
  const list = schedulesOf(spec);
  const namespace = textOf(metadata["namespace"]) || "default";
  const target = fieldsOf(spec["scaleTargetRef"]);
  const name = textOf(target["name"]);
  const isOnHpa = target["kind"] === "HorizontalPodAutoscaler";
  const own = isOnHpa ? hpaBounds(options.all, { namespace, name }) : undefined;
  const bounds = own ?? outer.bounds;
  const calendar = calendarReader({
    ...options,
    zone: zoneOffset,
    named: (calendarName) => options.calendars.get(calendarName),
  });
  const read = readSchedules(list.specs, {
    zone: zoneOffset,
    bounds: { ...bounds, maxReplicas: outer.bounds.maxReplicas },
    calendar,
  });
  const object = {
    namespace,
    name: textOf(metadata["name"]),
    bounds,
    ...(isOnHpa ? { hpa: { name, outer: outer.bounds, isKnown: own !== undefined } } : {}),
    schedules: read.schedules,
  };
  const findings = [...outer.findings, ...list.findings, ...read.problems.map(entryFinding)];
  return { object, problems: findings.map(locate) };
}

function boundsOf(spec: Fields): { readonly bounds: ReplicaBounds; readonly findings: readonly Remark[] } {
  const min = replicasOf(spec, "minReplicas", { smallest: 0, usual: 1 });
  const max = replicasOf(spec, "maxReplicas", { smallest: 1, usual: undefined });
  const bounds = { minReplicas: min.replicas, maxReplicas: max.replicas };
  const findings = [...min.findings, ...max.findings];
  if (findings.length > 0 || bounds.minReplicas <= bounds.maxReplicas) return { bounds, findings };
  const message = `is below spec.minReplicas, ${bounds.minReplicas}`;
  const remedy = "raise it, or lower the other";
  return { bounds, findings: [{ path: "spec.maxReplicas", value: bounds.maxReplicas, message, remedy }] };
}

function replicasOf(
  spec: Fields,
  field: string,
  { smallest, usual }: { readonly smallest: number; readonly usual: number | undefined },
): { readonly replicas: number; readonly findings: readonly Remark[] } {
  const given = spec[field] ?? usual;
  if (typeof given === "number" && Number.isInteger(given) && given >= smallest)
    return { replicas: given, findings: [] };
  const message = given === undefined ? "is missing" : `is not a whole number of at least ${smallest}`;
  const value = given === undefined ? {} : { value: given };
  const finding = { path: `spec.${field}`, ...value, message, remedy: "set a number of replicas" };
  return { replicas: smallest, findings: [finding] };
}

function schedulesOf(spec: Fields): {
  readonly specs: readonly ScheduleSpec[];
  readonly findings: readonly Remark[];
} {
  const list = spec["schedules"] ?? [];
  const path = "spec.schedules";
  if (!Array.isArray(list))
    return { specs: [], findings: [{ path, message: "is not a list", remedy: "use a list of entries" }] };
  const isEmpty = list.length === 0;
  const findings = isEmpty ? [{ path, message: "has no schedules", remedy: "add spec.schedules" }] : [];
  return { specs: list as readonly ScheduleSpec[], findings };
}

function entryFinding({ path, name, value, message, remedy }: ScheduleProblem): Remark {
  const entry = name === "" || path.endsWith(".name") ? "" : ` (entry ${JSON.stringify(name)})`;
  const shown = value === undefined ? {} : { value };
  return { path: `spec.schedules${path}`, ...shown, message: `${message}${entry}`, remedy };
}
