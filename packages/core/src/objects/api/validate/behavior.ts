// Validates spec.behavior.
import { type Fields, fieldsOf, listOf } from "../../../values/fields.ts";
import { signOf } from "../../../values/quantity/convert.ts";
import { quantityOf } from "../../../values/quantity/milli.ts";
import { field, found, invalid, notSupported, type Problem, required } from "./problem.ts";

const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateScalingRules */
export function validateRules(rules: unknown, path: string): readonly Problem[] {
  if (rules === undefined) return [];
  const fields = fieldsOf(rules);
  const policies = listOf(field(fields, "policies"));
  return found([
    validateWindow(field(fields, "stabilizationWindowSeconds"), `${path}.stabilizationWindowSeconds`),
    validateSelectPolicy(field(fields, "selectPolicy"), `${path}.selectPolicy`),
    policies.length === 0 && required(`${path}.policies`, "must specify at least one Policy"),
    policies.flatMap((policy, i) => validatePolicy(fieldsOf(policy), `${path}.policies[${i}]`)),
    validateTolerance(field(fields, "tolerance"), `${path}.tolerance`),
  ]);
}

function validateWindow(window: unknown, path: string): readonly Problem[] {
  if (window === undefined) return [];
  if (typeof window !== "number" || window < 0)
    return [invalid(path, window, "must be greater than or equal to zero")];
  const tooLong = `must be less than or equal to ${maxWindowSeconds}`;
  return window > maxWindowSeconds ? [invalid(path, window, tooLong)] : [];
}

function validateSelectPolicy(policy: unknown, path: string): readonly Problem[] {
  const supported = ["Disabled", "Max", "Min"];
  return policy === undefined || supported.includes(policy as string)
    ? []
    : [notSupported(path, policy, supported)];
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateScalingPolicy */
function validatePolicy(policy: Fields, path: string): readonly Problem[] {
  const type = field(policy, "type") ?? "";
  const value = field(policy, "value") ?? 0;
  const period = field(policy, "periodSeconds") ?? 0;
  const isPositive = (number: unknown) => typeof number === "number" && number > 0;
  const isLong = typeof period === "number" && period > maxPeriodSeconds;
  const tooLong = `must be less than or equal to ${maxPeriodSeconds}`;
  return found([
    type !== "Pods" && type !== "Percent" && notSupported(`${path}.type`, type, ["Percent", "Pods"]),
    !isPositive(value) && invalid(`${path}.value`, value, "must be greater than zero"),
    !isPositive(period) && invalid(`${path}.periodSeconds`, period, "must be greater than zero"),
    isLong && invalid(`${path}.periodSeconds`, period, tooLong),
  ]);
}

function validateTolerance(tolerance: unknown, path: string): readonly Problem[] {
  if (tolerance === undefined) return [];
  const quantity = quantityOf(tolerance);
  if (quantity === undefined) return [invalid(path, tolerance, "must be a quantity")];
  return signOf(quantity) < 0 ? [invalid(path, tolerance, "must be greater than or equal to 0")] : [];
}
