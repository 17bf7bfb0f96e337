// Validates metric targets.
import { type Fields, fieldsOf } from "../../../values/fields.ts";
import { signOf } from "../../../values/quantity/convert.ts";
import { quantityOf } from "../../../values/quantity/milli.ts";
import { field, forbidden, found, invalid, type Problem, required } from "./problem.ts";
import { validateSegment } from "./reference.ts";

const types: readonly unknown[] = ["Utilization", "Value", "AverageValue"];

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateMetricTarget */
export function validateTarget(target: Fields, path: string): readonly Problem[] {
  const type = field(target, "type") ?? "";
  const utilization = field(target, "averageUtilization");
  const isLow = utilization !== undefined && !(typeof utilization === "number" && utilization >= 1);
  const wrongType = "must be either Utilization, Value, or AverageValue";
  return found([
    type === "" && required(`${path}.type`, "must specify a metric target type"),
    !types.includes(type) && invalid(`${path}.type`, type, wrongType),
    validatePositive(field(target, "value"), `${path}.value`),
    validatePositive(field(target, "averageValue"), `${path}.averageValue`),
    isLow && invalid(`${path}.averageUtilization`, utilization, "must be greater than 0"),
  ]);
}

function validatePositive(value: unknown, path: string): readonly Problem[] {
  if (value === undefined) return [];
  const quantity = quantityOf(value);
  if (quantity === undefined) return [invalid(path, value, "must be a quantity")];
  return signOf(quantity) === 1 ? [] : [invalid(path, value, "must be positive")];
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateMetricIdentifier */
export function validateIdentifier(metric: unknown, path: string): readonly Problem[] {
  return validateSegment(field(fieldsOf(metric), "name"), `${path}.name`, "must specify a metric name");
}

/** Resource metrics want exactly one of utilization and average. */
export function validateUtilizationOrAverage(target: Fields, path: string): readonly Problem[] {
  const hasUtilization = field(target, "averageUtilization") !== undefined;
  const hasAverage = field(target, "averageValue") !== undefined;
  const neither = "must set either a target raw value or a target utilization";
  const both = "may not set both a target raw value and a target utilization";
  return found([
    !hasUtilization && !hasAverage && required(`${path}.averageUtilization`, neither),
    hasUtilization && hasAverage && forbidden(`${path}.averageValue`, both),
  ]);
}
