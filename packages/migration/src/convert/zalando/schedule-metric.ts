// An Object metric of a ScalingSchedule, as schedules of a WorkloadAutoscaler.
import type { MetricSpec } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { milliValue, parseQuantity } from "@plimsoll/core/quantity";
import { readSchedules, type ScheduleSpec, zoneOffset } from "@plimsoll/core/schedules";
import { proposeReplicas } from "@plimsoll/core/steps";
import type { SourceObject } from "../../manifests/source.ts";
import type { ConvertSettings } from "../converter.ts";
import type { Findings } from "../findings.ts";
import { textOf } from "../values.ts";
import type { MetricPlace } from "./metric-place.ts";
import { readScalingSchedule } from "./scaling-schedule.ts";
import { scheduleOf } from "./schedule-converter.ts";

interface Context {
  readonly namespace: string;
  /** Of the HPA. */
  readonly spec: Fields;
  readonly all: readonly SourceObject[];
  readonly settings: ConvertSettings;
}

/** Each value divided by the target is one more proposal of the HPA: a floor. */
export function readScheduleMetric(
  place: MetricPlace,
  { namespace, spec, all, settings }: Context,
  findings: Findings,
): readonly ScheduleSpec[] | undefined {
  const reference = fieldsOf(place.source["describedObject"]);
  const name = textOf(reference["name"]) ?? "";
  const found = scheduleOf(reference, namespace, all);
  if (found === undefined) {
    findings.problem({
      path: `${place.path}.describedObject.name`,
      value: name,
      message: `is a ${textOf(reference["kind"])} that isn't in the files`,
      remedy: "add it: kubectl get scalingschedules,clusterscalingschedules -A -o yaml",
    });
    return undefined;
  }
  const isUsable = hasAverage(place, findings);
  // Its own findings are those of its own document.
  const read = readScalingSchedule(found, settings);
  if (!isUsable || read.findings.problems.length > 0) return undefined;
  const max = Number(spec["maxReplicas"]);
  const schedules = read.values.flatMap(({ when, value }, index): readonly ScheduleSpec[] => {
    const proposal = proposalOf(place, value);
    if (proposal < 1) return [];
    if (proposal > max) noteCap(place, { name, proposal, max }, findings);
    const entry = `${name.slice(0, 55)}-${index}`;
    return [{ name: entry, ...when, minReplicas: Math.min(proposal, max) }];
  });
  const bounds = { minReplicas: Number(spec["minReplicas"] ?? 1), maxReplicas: max };
  for (const { path, message, remedy } of readSchedules(schedules, { zone: zoneOffset, bounds }).problems)
    findings.problem({
      path: `${place.path}.describedObject.name`,
      value: name,
      message: `results in a schedule whose ${path} ${message}`,
      remedy,
    });
  return schedules;
}

function hasAverage(place: MetricPlace, findings: Findings): boolean {
  const { type, averageValue } = fieldsOf(place.source["target"]);
  if (type === "AverageValue" && isPositive(textOf(averageValue) ?? "")) return true;
  findings.problem({
    path: `${place.path}.target`,
    message:
      "is not an AverageValue above 0: with Value, an HPA multiplies the current replicas again and again while the schedule is active",
    remedy: "use type: AverageValue with the value of one replica",
  });
  return false;
}

function isPositive(text: string): boolean {
  if (text.length > 128) return false;
  try {
    return milliValue(parseQuantity(text)) > 0;
  } catch {
    return false;
  }
}

/** What the metric would propose, at no replicas: there no tolerance keeps what is there. */
function proposalOf({ source }: MetricPlace, value: number): number {
  const metric = { type: "Object", object: source } as unknown as MetricSpec;
  const samples = { value: String(value), timestamp: "1970-01-01T00:00:00Z" };
  const proposal = proposeReplicas({
    nowMs: 0,
    metric,
    specReplicas: 0,
    statusReplicas: 0,
    pods: [],
    samples,
  });
  return proposal.ok ? proposal.replicas : 0;
}

function noteCap(
  { path }: MetricPlace,
  { name, proposal, max }: { readonly name: string; readonly proposal: number; readonly max: number },
  findings: Findings,
): void {
  findings.note({
    path: `${path}.describedObject.name`,
    value: name,
    message: `calls for ${proposal} replicas and is converted to maxReplicas, ${max}, which the HPA doesn't exceed either`,
    remedy: "nothing to do",
  });
}
