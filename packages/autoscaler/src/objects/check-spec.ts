// Validates a WorkloadAutoscaler beyond what its CRD schema validates.
import { instantMs } from "@plimsoll/core";
import type { Problem } from "@plimsoll/core/api";
import { invalid } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf, isAbsent } from "@plimsoll/core/internal/values";
import { parseQuantity, QuantityError } from "@plimsoll/core/quantity";

/** What the definition of the kind refuses beyond an HPA's validation; an older one may let it in. */
export function extraProblems(spec: unknown): readonly Problem[] {
  const { mode, adopt, pause, tuning, metrics } = fieldsOf(spec);
  return [
    ...choice("spec.mode", mode, modes),
    ...choice("spec.adopt", adopt, ["Never", "FromZero"]),
    ...instant("spec.pause.until", fieldsOf(pause)["until"]),
    ...tuningProblems(fieldsOf(tuning)),
    ...(isAbsent(metrics) || Array.isArray(metrics)
      ? []
      : [invalid("spec.metrics", metrics, "must be a list")]),
    ...tooMany("spec.metrics", metrics),
    ...metricsOf(metrics).slice(0, maxMetrics).flatMap(policyProblems),
  ];
}

/** Metrics of one WorkloadAutoscaler, as in its definition. */
export const maxMetrics = 100;

/** The entries, each of them an object. */
export function metricsOf(metrics: unknown): readonly Fields[] {
  return Array.isArray(metrics) ? metrics.map(fieldsOf) : [];
}

const modes = ["Active", "Shadow", "Paused"];
const policies = ["Block", "HoldLast", "Ignore", "Assume", "Fallback"];
const assumable = ["Pods", "Object", "External", "Query"];
/** Of each duration in `spec.tuning`. */
export const maxSeconds = 3600;
const tuningSeconds: Readonly<Record<string, number>> = {
  syncPeriodSeconds: 1,
  cpuInitializationPeriodSeconds: 0,
  initialReadinessDelaySeconds: 0,
  downscaleStabilizationSeconds: 0,
  upscaleDelaySeconds: 0,
  downscaleDelaySeconds: 0,
};

function tooMany(path: string, list: unknown): readonly Problem[] {
  if (!Array.isArray(list) || list.length <= maxMetrics) return [];
  return [invalid(path, list.length, `must have at most ${maxMetrics} metrics`)];
}

function tuningProblems(tuning: Fields): readonly Problem[] {
  const tolerance = tuning["tolerance"];
  return [
    ...Object.entries(tuningSeconds).flatMap(([name, min]) =>
      within(`spec.tuning.${name}`, tuning[name], { min, max: maxSeconds }),
    ),
    ...(isAbsent(tolerance) || isFraction(tolerance)
      ? []
      : [invalid("spec.tuning.tolerance", tolerance, 'must be a quantity of 0 or more, such as "0.05"')]),
  ];
}

function policyProblems(metric: Fields, index: number): readonly Problem[] {
  const onFailure = fieldsOf(metric["onMetricFailure"]);
  const path = `spec.metrics[${index}].onMetricFailure`;
  const { policy = "Block", afterSeconds, allowScaleDown } = onFailure;
  const others = "doesn't apply to policy Block: remove it";
  return [
    ...(allowScaleDown === true && policy !== "Fallback"
      ? [invalid(`${path}.allowScaleDown`, true, "applies to policy Fallback only: remove it")]
      : []),
    ...(policy === "Block" && Number(afterSeconds) > 0
      ? [invalid(`${path}.afterSeconds`, afterSeconds, others)]
      : []),
    ...ownPolicyProblems(onFailure, { path, type: metric["type"] }),
    ...within(`${path}.afterSeconds`, afterSeconds, { min: 0, max: 86_400 }),
    ...(isAbsent(allowScaleDown) || typeof allowScaleDown === "boolean"
      ? []
      : [invalid(`${path}.allowScaleDown`, allowScaleDown, "must be true or false")]),
  ];
}

function ownPolicyProblems(
  { policy = "Block", forSeconds, value, replicas }: Fields,
  { path, type }: { readonly path: string; readonly type: unknown },
): readonly Problem[] {
  switch (policy) {
    case "HoldLast":
      return needed(`${path}.forSeconds`, forSeconds, 86_400);
    case "Fallback":
      return needed(`${path}.replicas`, replicas, 2 ** 31 - 1);
    case "Assume":
      if (!assumable.includes(String(type)))
        return [
          invalid(`${path}.policy`, policy, "applies to Pods, Object, External, and Query metrics only"),
        ];
      return isQuantity(value) ? [] : [invalid(`${path}.value`, value, 'must be a quantity, such as "10"')];
    default:
      return choice(`${path}.policy`, policy, policies);
  }
}

function needed(path: string, value: unknown, max: number): readonly Problem[] {
  return isAbsent(value)
    ? [{ path, type: "Required", message: "is required by this policy" }]
    : within(path, value, { min: 1, max });
}

function within(
  path: string,
  value: unknown,
  { min, max }: { min: number; max: number },
): readonly Problem[] {
  if (isAbsent(value)) return [];
  const isRight = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
  return isRight ? [] : [invalid(path, value, `must be a whole number from ${min} to ${max}`)];
}

function choice(path: string, value: unknown, choices: readonly string[]): readonly Problem[] {
  if (isAbsent(value) || choices.some((one) => one === value)) return [];
  return [{ path, type: "NotSupported", value, message: `must be one of ${choices.join(", ")}` }];
}

function instant(path: string, value: unknown): readonly Problem[] {
  const isRight = isAbsent(value) || (typeof value === "string" && instantMs(value) !== undefined);
  return isRight ? [] : [invalid(path, value, "must be a time, such as 2030-01-01T00:00:00Z")];
}

function isFraction(value: unknown): boolean {
  return isQuantity(value) && !String(value).startsWith("-");
}

function isQuantity(value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  try {
    parseQuantity(String(value));
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
