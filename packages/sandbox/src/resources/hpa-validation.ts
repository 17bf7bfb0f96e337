// Validates HPAs.
import { type FieldProblem, forbiddenField, invalid, notSupported, required } from "../rest/field-problem.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { type JsonRecord, numberAt, recordAt, recordsAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";

const sources: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

/**
 * What upstream rejects, in upstream's order.
 *
 * @upstream pkg/apis/autoscaling/validation/validation.go#validateHorizontalPodAutoscalerSpec
 */
export function validateHpa(object: ApiObject, old: StoredObject | undefined): readonly FieldProblem[] {
  const min = numberAt(object, "spec", "minReplicas");
  const max = numberAt(object, "spec", "maxReplicas") ?? 0;
  const metrics = recordsAt(object, "spec", "metrics");
  const lowest = old !== undefined && numberAt(old, "spec", "minReplicas") === 0 ? 0 : 1;
  const problems: FieldProblem[] = [];
  if (min !== undefined && min < lowest) {
    problems.push(invalid("spec.minReplicas", min, `must be greater than or equal to ${lowest}`));
  }
  if (max < 1) problems.push(invalid("spec.maxReplicas", max, "must be greater than 0"));
  if (min !== undefined && max < min) {
    problems.push(invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  }
  problems.push(...validateReference(recordAt(object, "spec", "scaleTargetRef"), "spec.scaleTargetRef"));
  for (const [index, metric] of metrics.entries()) {
    problems.push(...validateMetric(metric, `spec.metrics[${index}]`));
  }
  if (min === 0 && !metrics.some((metric) => metric["type"] === "Object" || metric["type"] === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    problems.push(forbiddenField("spec.metrics", detail));
  }
  for (const direction of ["scaleUp", "scaleDown"]) {
    const rules = recordAt(object, "spec", "behavior", direction);
    if (rules !== undefined) problems.push(...validateRules(rules, `spec.behavior.${direction}`));
  }
  return problems;
}

function validateReference(reference: JsonRecord | undefined, field: string): FieldProblem[] {
  return ["kind", "name"].flatMap((key) => {
    const text = stringAt(reference, key) ?? "";
    return text === "" ? [required(`${field}.${key}`)] : pathSegment(text, `${field}.${key}`);
  });
}

function pathSegment(text: string, field: string): FieldProblem[] {
  if (text === "." || text === "..") return [invalid(field, text, `may not be '${text}'`)];
  return ["/", "%"]
    .filter((character) => text.includes(character))
    .map((character) => invalid(field, text, `may not contain '${character}'`));
}

function validateMetric(metric: JsonRecord, field: string): FieldProblem[] {
  const type = stringAt(metric, "type") ?? "";
  if (type === "") return [required(`${field}.type`, "must specify a metric source type")];
  const expected = sources[type];
  if (expected === undefined) return [notSupported(`${field}.type`, type, Object.keys(sources))];
  const source = recordAt(metric, expected);
  if (source === undefined) {
    return [required(`${field}.${expected}`, "must populate information for the given metric source")];
  }
  const foreign = Object.values(sources).filter(
    (key) => key !== expected && recordAt(metric, key) !== undefined,
  );
  return [
    ...validateSource(type, source, `${field}.${expected}`),
    ...foreign.map((key) => forbiddenField(`${field}.${key}`, "must populate the given metric source only")),
  ];
}

function validateSource(type: string, source: JsonRecord, field: string): FieldProblem[] {
  const target = recordAt(source, "target") ?? {};
  const described =
    type === "Object"
      ? validateReference(recordAt(source, "describedObject"), `${field}.describedObject`)
      : [];
  return [
    ...described,
    ...validateName(type, source, field),
    ...validateTarget(target, `${field}.target`),
    ...validateTargetValues(type, target, `${field}.target`),
  ];
}

function validateName(type: string, source: JsonRecord, field: string): readonly FieldProblem[] {
  if (type !== "Resource" && type !== "ContainerResource") {
    const name = stringAt(source, "metric", "name") ?? "";
    return name === ""
      ? [required(`${field}.metric.name`, "must specify a metric name")]
      : pathSegment(name, `${field}.metric.name`);
  }
  const problems: FieldProblem[] = [];
  if (!stringAt(source, "name")) problems.push(required(`${field}.name`, "must specify a resource name"));
  if (type === "ContainerResource" && !stringAt(source, "container")) {
    problems.push(required(`${field}.container`, "must specify a container"));
  }
  return problems;
}

/** Which kinds of target value a source may have, and which it must have one of. */
function validateTargetValues(type: string, target: JsonRecord, field: string): readonly FieldProblem[] {
  const has = (key: string): boolean => target[key] !== undefined && target[key] !== null;
  const [hasValue, hasAverage, hasUtilization] = [
    has("value"),
    has("averageValue"),
    has("averageUtilization"),
  ];
  const missing = (key: string, detail: string) => [required(`${field}.${key}`, detail)];
  const excess = (key: string, detail: string) => [forbiddenField(`${field}.${key}`, detail)];
  switch (type) {
    case "Object":
      if (hasValue || hasAverage) return [];
      return missing("averageValue", "must set either a target value or averageValue");
    case "External":
      if (hasValue && hasAverage)
        return excess("value", "may not set both a target value for metric and a per-pod target");
      if (hasValue || hasAverage) return [];
      return missing("averageValue", "must set either a target value for metric or a per-pod target");
    case "Pods":
      return hasAverage ? [] : missing("averageValue", "must specify a positive target averageValue");
    default:
      if (hasUtilization && hasAverage)
        return excess("averageValue", "may not set both a target raw value and a target utilization");
      if (hasUtilization || hasAverage) return [];
      return missing("averageUtilization", "must set either a target raw value or a target utilization");
  }
}

function validateTarget(target: JsonRecord, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const type = stringAt(target, "type") ?? "";
  if (type === "") problems.push(required(`${field}.type`, "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    problems.push(invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const key of ["value", "averageValue"]) {
    const value = valueAt(target, key);
    if (value !== undefined && value !== null && !isPositive(value)) {
      problems.push(invalid(`${field}.${key}`, value, "must be positive"));
    }
  }
  const utilization = numberAt(target, "averageUtilization");
  if (utilization !== undefined && utilization < 1) {
    problems.push(invalid(`${field}.averageUtilization`, utilization, "must be greater than 0"));
  }
  return problems;
}

function isPositive(quantity: unknown): boolean {
  if (typeof quantity === "number") return quantity > 0;
  return typeof quantity === "string" && /^\+?[\d.]*[1-9]/.test(quantity);
}

function validateRules(rules: JsonRecord, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const window = numberAt(rules, "stabilizationWindowSeconds") ?? 0;
  if (window < 0) {
    problems.push(
      invalid(`${field}.stabilizationWindowSeconds`, window, "must be greater than or equal to zero"),
    );
  }
  if (window > 3600) {
    problems.push(
      invalid(`${field}.stabilizationWindowSeconds`, window, "must be less than or equal to 3600"),
    );
  }
  const select = stringAt(rules, "selectPolicy") ?? "";
  if (!["Disabled", "Max", "Min"].includes(select)) {
    problems.push(notSupported(`${field}.selectPolicy`, select, ["Disabled", "Max", "Min"]));
  }
  const policies = recordsAt(rules, "policies");
  if (policies.length === 0) problems.push(required(`${field}.policies`, "must specify at least one Policy"));
  for (const [index, policy] of policies.entries()) {
    problems.push(...validatePolicy(policy, `${field}.policies[${index}]`));
  }
  if (stringAt(rules, "tolerance")?.startsWith("-") === true || (numberAt(rules, "tolerance") ?? 0) < 0) {
    problems.push(invalid(`${field}.tolerance`, rules["tolerance"], "must be greater than or equal to 0"));
  }
  return problems;
}

function validatePolicy(policy: JsonRecord, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const type = stringAt(policy, "type") ?? "";
  if (type !== "Percent" && type !== "Pods")
    problems.push(notSupported(`${field}.type`, type, ["Percent", "Pods"]));
  for (const key of ["value", "periodSeconds"]) {
    const value = numberAt(policy, key) ?? 0;
    if (value <= 0) problems.push(invalid(`${field}.${key}`, value, "must be greater than zero"));
  }
  const period = numberAt(policy, "periodSeconds") ?? 0;
  if (period > 1800)
    problems.push(invalid(`${field}.periodSeconds`, period, "must be less than or equal to 1800"));
  return problems;
}
