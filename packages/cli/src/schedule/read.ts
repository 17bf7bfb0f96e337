import { calendarReader } from "@plimsoll/autoscaler/schedules";
import {
  type ReplicaBounds,
  readSchedules,
  type Schedule,
  type ScheduleSpec,
  zoneOffset,
} from "@plimsoll/core";
import { hpaBounds } from "../convert/hpa-bounds.ts";
import type { ConvertProblem } from "../convert/problem.ts";
import { jsonOf, readSources, type SourceObject } from "../convert/source.ts";

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
    /** Whether the file has it; the outer bounds stand for its own otherwise. */
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

export function readFile(text: string, file: string, o: ReadOptions): FileRead {
  const { objects, problems } = readSources(text, file);
  const found = objects
    .filter(({ apiVersion, kind }) => apiVersion.startsWith(group) && kind === "WorkloadAutoscaler")
    .map((source) => readObject(source, { ...o, all: objects }));
  return {
    objects: found.map(({ object }) => object),
    problems: [...problems, ...found.flatMap((one) => one.problems)],
  };
}

function readObject(
  { value, locate }: SourceObject,
  o: ReadOptions & { readonly all: readonly SourceObject[] },
): { readonly object: ScheduledObject; readonly problems: readonly ConvertProblem[] } {
  const problems: ConvertProblem[] = [];
  const spec = jsonOf(value["spec"]);
  const metadata = jsonOf(value["metadata"]);
  const count = (field: "minReplicas" | "maxReplicas", least: number, usual: number | undefined) => {
    const given = spec[field] ?? usual;
    if (typeof given === "number" && Number.isInteger(given) && given >= least) return given;
    const message = given === undefined ? "is missing" : `is no whole number from ${least} on`;
    const value = given === undefined ? {} : { value: given };
    problems.push(locate({ path: `spec.${field}`, ...value, message, remedy: "write how many replicas" }));
    return least;
  };
  const minReplicas = count("minReplicas", 0, 1);
  const maxReplicas = count("maxReplicas", 1, undefined);
  if (minReplicas > maxReplicas && problems.length === 0) {
    const message = `is below spec.minReplicas, which is ${minReplicas}`;
    problems.push(
      locate({
        path: "spec.maxReplicas",
        value: maxReplicas,
        message,
        remedy: "raise it, or lower the other",
      }),
    );
  }
  const list = spec["schedules"] ?? [];
  if (!Array.isArray(list) || list.length === 0) {
    const [message, remedy] = Array.isArray(list)
      ? ["has no schedules", "add spec.schedules"]
      : ["is no list", "write a list of entries"];
    problems.push(locate({ path: "spec.schedules", message, remedy }));
  }
  const outer = { minReplicas, maxReplicas };
  const namespace = textOf(metadata["namespace"]) || "default";
  const target = jsonOf(spec["scaleTargetRef"]);
  const name = textOf(target["name"]);
  const isOnHpa = target["kind"] === "HorizontalPodAutoscaler";
  const own = isOnHpa ? hpaBounds(o.all, { namespace, name }) : undefined;
  const bounds = own ?? outer;
  const specs = (Array.isArray(list) ? list : []) as readonly ScheduleSpec[];
  const calendar = calendarReader({ ...o, zone: zoneOffset, named: (name) => o.calendars.get(name) });
  const read = readSchedules(specs, { zone: zoneOffset, bounds: { ...bounds, maxReplicas }, calendar });
  for (const { path, name, value, message, remedy } of read.problems) {
    const who = name === "" || path.endsWith(".name") ? "" : ` (entry ${JSON.stringify(name)})`;
    const shown = value === undefined ? {} : { value };
    problems.push(locate({ path: `spec.schedules${path}`, ...shown, message: `${message}${who}`, remedy }));
  }
  const object = {
    namespace,
    name: textOf(metadata["name"]),
    bounds,
    ...(isOnHpa ? { hpa: { name, outer, isKnown: own !== undefined } } : {}),
    schedules: read.schedules,
  };
  return { object, problems };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
