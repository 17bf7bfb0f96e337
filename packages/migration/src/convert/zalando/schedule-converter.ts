// ScalingSchedules are carried over with the HorizontalPodAutoscalers that refer to them.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { namespaceOf, type SourceObject } from "../../manifests/source.ts";
import type { Conversion, Converter, ConvertSettings } from "../converter.ts";
import { readScalingSchedule } from "./scaling-schedule.ts";

export const zalandoGroup = "zalando.org";
export const scheduleKinds = ["ScalingSchedule", "ClusterScalingSchedule"] as const;

export const scalingScheduleConverters: readonly Converter[] = scheduleKinds.map((kind) => ({
  group: zalandoGroup,
  kind,
  convert: (source, context) => convert(source, context),
}));

function convert(
  source: SourceObject,
  { settings, all }: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
): Conversion {
  const { findings } = readScalingSchedule(source, settings);
  if (!all.some((one) => refersTo(one, source)))
    findings.note({
      path: "",
      message: `no HorizontalPodAutoscaler in the files uses this ${source.kind}, so it is left out`,
      remedy: "add the files of those that use it: its values become floors in their WorkloadAutoscalers",
    });
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  return { ok: true, documents: [], notes: findings.notes };
}

/** Whether an HPA has a metric of the schedule. */
function refersTo(hpa: SourceObject, schedule: SourceObject): boolean {
  if (hpa.kind !== "HorizontalPodAutoscaler") return false;
  const { metrics } = fieldsOf(hpa.value["spec"]);
  return (Array.isArray(metrics) ? (metrics as readonly unknown[]) : []).some((metric) => {
    const object = fieldsOf(fieldsOf(metric)["object"]);
    // "target" is the name of the object before autoscaling/v2beta2.
    const reference = fieldsOf(object["describedObject"] ?? object["target"]);
    return isMeant(schedule, reference, namespaceOf(hpa));
  });
}

/** The schedule that a reference names; undefined where the files do not have it. */
export function scheduleOf(
  reference: Fields,
  namespace: string,
  all: readonly SourceObject[],
): SourceObject | undefined {
  return all.find((one) => isMeant(one, reference, namespace));
}

function isMeant(schedule: SourceObject, reference: Fields, namespace: string): boolean {
  const isKind =
    schedule.kind === reference["kind"] &&
    schedule.apiVersion.startsWith(`${zalandoGroup}/`) &&
    scheduleKinds.some((kind) => kind === schedule.kind);
  if (!isKind || fieldsOf(schedule.value["metadata"])["name"] !== reference["name"]) return false;
  return schedule.kind === "ClusterScalingSchedule" || namespaceOf(schedule) === namespace;
}
