// Validates HPAs as the API server does.
import { type Fields, fieldsOf, listOf, textOf } from "../../../values/fields.ts";
import { validateRules } from "./behavior.ts";
import { validateMetadata } from "./metadata.ts";
import { validateMetrics } from "./metrics.ts";
import { field, found, invalid, type Problem, required } from "./problem.ts";
import { validateReference } from "./reference.ts";

/** What the result depends on beside the object. */
export interface ValidateOptions {
  /** Feature gate HPAScaleToZero: minReplicas may be 0 (true). */
  readonly scaleToZero?: boolean | undefined;
  /** The stored object, for an update: what was already wrong there is let through, as upstream does. */
  readonly old?: unknown;
}

/**
 * All reasons, in upstream's order, why the API server would refuse an autoscaling/v2 HPA; empty when it would
 * not. Defaults are not applied first. Takes any data.
 *
 * @upstream pkg/apis/autoscaling/validation/validation.go#ValidateHorizontalPodAutoscaler
 * @upstream pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go
 */
export function validateHpa(hpa: unknown, options: ValidateOptions = {}): readonly Problem[] {
  const object = fieldsOf(hpa);
  const spec = fieldsOf(field(object, "spec"));
  const old = options.old === undefined ? undefined : fieldsOf(field(fieldsOf(options.old), "spec"));
  const minReplicas = field(spec, "minReplicas");
  const mayBeZero = options.scaleToZero !== false || (old !== undefined && field(old, "minReplicas") === 0);
  const behavior = fieldsOf(field(spec, "behavior"));
  return [
    ...validateMetadata(fieldsOf(field(object, "metadata"))),
    ...validateCounts(minReplicas, field(spec, "maxReplicas"), mayBeZero ? 0 : 1),
    ...validateTargetRef(spec, old),
    ...validateMetrics(listOf(field(spec, "metrics")), "spec.metrics", minReplicas, {
      allowsAnyObjectVersion: old !== undefined && hasWrongObjectVersion(old),
    }),
    ...validateRules(field(behavior, "scaleUp"), "spec.behavior.scaleUp"),
    ...validateRules(field(behavior, "scaleDown"), "spec.behavior.scaleDown"),
  ];
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateHorizontalPodAutoscalerSpec */
function validateCounts(minReplicas: unknown, maxReplicas: unknown, lowest: number): readonly Problem[] {
  const max = typeof maxReplicas === "number" ? maxReplicas : 0;
  const isLow = minReplicas !== undefined && !(typeof minReplicas === "number" && minReplicas >= lowest);
  const isBelowMin = typeof minReplicas === "number" && max < minReplicas;
  return found([
    isLow && invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`),
    max === 0 && required("spec.maxReplicas", "must be set and greater than 0"),
    !(max >= 0) && invalid("spec.maxReplicas", max, "must be greater than or equal to 1"),
    isBelowMin && invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"),
  ]);
}

/** The target's apiVersion is looked at only when it, or the kind, changes. */
function validateTargetRef(spec: Fields, old: Fields | undefined): readonly Problem[] {
  const reference = fieldsOf(field(spec, "scaleTargetRef"));
  const before = old === undefined ? undefined : fieldsOf(field(old, "scaleTargetRef"));
  const isSame = (key: string) =>
    before !== undefined && textOf(field(before, key)) === textOf(field(reference, key));
  const emptyGroup = field(reference, "kind") === "ReplicationController";
  const anyApiVersion = isSame("apiVersion") && isSame("kind");
  return validateReference(reference, "spec.scaleTargetRef", { emptyGroup, anyApiVersion });
}

function hasWrongObjectVersion(old: Fields): boolean {
  return listOf(field(old, "metrics")).some((metric) => {
    const source = field(fieldsOf(metric), "object");
    if (field(fieldsOf(metric), "type") !== "Object" || source === undefined) return false;
    const described = fieldsOf(field(fieldsOf(source), "describedObject"));
    return textOf(field(described, "apiVersion")).split("/").length > 2;
  });
}
