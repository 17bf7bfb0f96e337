// Validates spec.metrics.
import { type Fields, fieldsOf, textOf } from "../../../values/fields.ts";
import { field, forbidden, found, notSupported, type Problem, required } from "./problem.ts";
import { type SourceRules, sources } from "./sources.ts";

const fieldOfType: ReadonlyMap<unknown, string> = new Map([
  ["ContainerResource", "containerResource"],
  ["External", "external"],
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"],
]);
const types = [...fieldOfType.keys()] as readonly string[];

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateMetrics */
export function validateMetrics(
  metrics: readonly unknown[],
  path: string,
  minReplicas: unknown,
  rules: SourceRules,
): readonly Problem[] {
  const specs = metrics.map(fieldsOf);
  const problems = specs.flatMap((spec, i) => validateMetric(spec, `${path}[${i}]`, rules));
  const hasPodless = specs.some((spec) => ["Object", "External"].includes(textOf(field(spec, "type"))));
  if (minReplicas !== 0 || hasPodless) return problems;
  const podless = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [...problems, forbidden(path, podless)];
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateMetricSpec */
function validateMetric(spec: Fields, path: string, rules: SourceRules): readonly Problem[] {
  const type = field(spec, "type") ?? "";
  const expected = fieldOfType.get(type);
  const present = [...sources.keys()].filter((key) => field(spec, key) !== undefined);
  const [first = ""] = present;
  const wrongType = expected === undefined && notSupported(`${path}.type`, type, types);
  const others = present.length === 1 ? [] : present.filter((key) => key !== expected);
  return found([
    type === "" && required(`${path}.type`, "must specify a metric source type"),
    wrongType,
    sources.get(first)?.(fieldsOf(field(spec, first)), `${path}.${first}`, rules) ?? false,
    // Upstream complains of a wrong type a second time here.
    wrongType,
    expected !== undefined &&
      !present.includes(expected) &&
      required(`${path}.${expected}`, "must populate information for the given metric source"),
    others.map((key) => forbidden(`${path}.${key}`, "must populate the given metric source only")),
  ]);
}
