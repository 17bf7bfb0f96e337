// What is applied for a candidate: a merge patch, or an object that can hold schedules.
import type { HpaBehavior, MetricSpec } from "@plimsoll/core";
import { asWritten } from "@plimsoll/core/queries";
import type { Autoscaler } from "@plimsoll/simulator";
import type { Recording } from "../replay/recording.ts";
import type { Candidate, ParameterName } from "./candidate.ts";
import type { TunePatch } from "./report.ts";

const wlaVersion = "autoscaling.plimsoll.dev/v1alpha1";
const hpaVersion = "autoscaling/v2";

/** Of an object as it is today; one with schedules in place of an HPA. */
export function patchOf(candidate: Candidate, { target, autoscaler: { object } }: Recording): TunePatch {
  const { hpa, schedules } = candidate.autoscaler;
  const isWla = hpa.kind === "WorkloadAutoscaler";
  const { name = target.name, namespace = target.namespace } = hpa.metadata ?? {};
  if (!isWla && schedules !== undefined) {
    const spec = { ...hpa.spec, schedules };
    return {
      kind: "manifest",
      manifest: { apiVersion: wlaVersion, kind: "WorkloadAutoscaler", metadata: { name, namespace }, spec },
    };
  }
  const changed = new Set(candidate.changes.map(({ parameter }) => parameter));
  const { apiVersion } = fieldsOf(object);
  return {
    kind: "merge-patch",
    apiVersion: isWla ? (typeof apiVersion === "string" ? apiVersion : wlaVersion) : hpaVersion,
    object: isWla ? "WorkloadAutoscaler" : "HorizontalPodAutoscaler",
    namespace,
    name,
    patch: { spec: specPatch(candidate.autoscaler, changed) },
  };
}

/** A list is replaced as a whole, so all metrics are in it. */
function specPatch(autoscaler: Autoscaler, changed: ReadonlySet<ParameterName>): Record<string, unknown> {
  const { spec } = autoscaler.hpa;
  const down = rulesPatch(spec.behavior?.scaleDown, changed, [
    ["scaleDownWindow", "stabilizationWindowSeconds"],
    ["scaleDownPolicies", "policies"],
    ["toleranceDown", "tolerance"],
  ]);
  const up = rulesPatch(spec.behavior?.scaleUp, changed, [
    ["scaleUpWindow", "stabilizationWindowSeconds"],
    ["scaleUpPolicies", "policies"],
    ["toleranceUp", "tolerance"],
  ]);
  const behavior = {
    ...(down === undefined ? {} : { scaleDown: down }),
    ...(up === undefined ? {} : { scaleUp: up }),
  };
  return {
    ...(changed.has("minReplicas") ? { minReplicas: spec.minReplicas } : {}),
    ...(changed.has("maxReplicas") ? { maxReplicas: spec.maxReplicas } : {}),
    ...(changed.has("target") ? { metrics: metricsPatch(autoscaler) } : {}),
    ...(Object.keys(behavior).length === 0 ? {} : { behavior }),
    ...(changed.has("floor") ? { schedules: autoscaler.schedules } : {}),
  };
}

/** Those of a WorkloadAutoscaler have what happens when they fail. */
function metricsPatch({ hpa, failurePolicies = [] }: Autoscaler): readonly object[] {
  return (hpa.spec.metrics ?? []).map((metric: MetricSpec, at) => {
    const policy = failurePolicies[at];
    const written = asWritten(metric);
    return policy === undefined || policy.policy === "Block"
      ? written
      : { ...written, onMetricFailure: policy };
  });
}

function rulesPatch(
  rules: HpaBehavior["scaleUp"],
  changed: ReadonlySet<ParameterName>,
  fields: readonly (readonly [ParameterName, "stabilizationWindowSeconds" | "policies" | "tolerance"])[],
): Record<string, unknown> | undefined {
  const own = fields.filter(([parameter]) => changed.has(parameter));
  return own.length === 0 ? undefined : Object.fromEntries(own.map(([, field]) => [field, rules?.[field]]));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
