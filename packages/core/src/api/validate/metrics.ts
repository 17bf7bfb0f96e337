import { textOf } from "../../spec/text.ts";
import { type Fields, field, fieldsOf, forbidden, notSupported, type Problem, required } from "./problem.ts";
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
  return [
    ...problems,
    forbidden(
      path,
      "must specify at least one Object or External metric to support scaling to zero replicas",
    ),
  ];
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateMetricSpec */
function validateMetric(spec: Fields, path: string, rules: SourceRules): readonly Problem[] {
  const type = field(spec, "type") ?? "";
  const expected = fieldOfType.get(type);
  const present = [...sources.keys()].filter((key) => field(spec, key) !== undefined);
  const [first] = present;
  const depth = first === undefined ? undefined : sources.get(first);
  const problems: Problem[] = [];
  if (type === "") problems.push(required(`${path}.type`, "must specify a metric source type"));
  if (expected === undefined) problems.push(notSupported(`${path}.type`, type, types));
  if (first !== undefined && depth !== undefined) {
    problems.push(...depth(fieldsOf(field(spec, first)), `${path}.${first}`, rules));
  }
  // Upstream complains of a wrong type a second time here.
  if (expected === undefined) problems.push(notSupported(`${path}.type`, type, types));
  else if (!present.includes(expected)) {
    problems.push(required(`${path}.${expected}`, "must populate information for the given metric source"));
  }
  if (present.length !== 1) {
    const others = present.filter((key) => key !== expected);
    problems.push(
      ...others.map((key) => forbidden(`${path}.${key}`, "must populate the given metric source only")),
    );
  }
  return problems;
}
