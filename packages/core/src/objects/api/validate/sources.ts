// Validates the source of each metric type.
import { type Fields, fieldsOf, textOf } from "../../../values/fields.ts";
import { dnsLabelProblems } from "../../../values/selector/label-syntax.ts";
import { field, forbidden, found, invalid, type Problem, required } from "./problem.ts";
import { validateReference } from "./reference.ts";
import { containerResourceProblems } from "./resource-name.ts";
import { validateIdentifier, validateTarget, validateUtilizationOrAverage } from "./target.ts";

export interface SourceRules {
  /** An object metric of the stored object is already wrong, so its apiVersion is not looked at. */
  readonly allowsAnyObjectVersion: boolean;
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateObjectSource */
function validateObject(source: Fields, path: string, rules: SourceRules): readonly Problem[] {
  const target = fieldsOf(field(source, "target"));
  const hasNeither = field(target, "value") === undefined && field(target, "averageValue") === undefined;
  const allows = { emptyGroup: true, anyApiVersion: rules.allowsAnyObjectVersion };
  return found([
    validateReference(fieldsOf(field(source, "describedObject")), `${path}.describedObject`, allows),
    validateIdentifier(field(source, "metric"), `${path}.metric`),
    validateTarget(target, `${path}.target`),
    hasNeither && required(`${path}.target.averageValue`, "must set either a target value or averageValue"),
  ]);
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateExternalSource */
function validateExternal(source: Fields, path: string): readonly Problem[] {
  const target = fieldsOf(field(source, "target"));
  const set = ["value", "averageValue"].filter((key) => field(target, key) !== undefined);
  const neither = "must set either a target value for metric or a per-pod target";
  const both = "may not set both a target value for metric and a per-pod target";
  return found([
    validateIdentifier(field(source, "metric"), `${path}.metric`),
    validateTarget(target, `${path}.target`),
    set.length === 0 && required(`${path}.target.averageValue`, neither),
    set.length === 2 && forbidden(`${path}.target.value`, both),
  ]);
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validatePodsSource */
function validatePods(source: Fields, path: string): readonly Problem[] {
  const target = fieldsOf(field(source, "target"));
  const hasAverage = field(target, "averageValue") !== undefined;
  return found([
    validateIdentifier(field(source, "metric"), `${path}.metric`),
    validateTarget(target, `${path}.target`),
    !hasAverage && required(`${path}.target.averageValue`, "must specify a positive target averageValue"),
  ]);
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateResourceSource */
function validateResource(source: Fields, path: string): readonly Problem[] {
  const target = fieldsOf(field(source, "target"));
  const hasName = textOf(field(source, "name")) !== "";
  return found([
    !hasName && required(`${path}.name`, "must specify a resource name"),
    validateTarget(target, `${path}.target`),
    validateUtilizationOrAverage(target, `${path}.target`),
  ]);
}

/** @upstream pkg/apis/autoscaling/validation/validation.go#validateContainerResourceSource */
function validateContainerResource(source: Fields, path: string): readonly Problem[] {
  const target = fieldsOf(field(source, "target"));
  const name = textOf(field(source, "name"));
  const container = textOf(field(source, "container"));
  return found([
    name === ""
      ? required(`${path}.name`, "must specify a resource name")
      : containerResourceProblems(name).map((problem) => invalid(`${path}.name`, name, problem)),
    container === ""
      ? required(`${path}.container`, "must specify a container")
      : dnsLabelProblems(container).map((problem) => invalid(`${path}.container`, container, problem)),
    validateTarget(target, `${path}.target`),
    validateUtilizationOrAverage(target, `${path}.target`),
  ]);
}

/** By field name, in the order in which upstream looks at them. */
export const sources: ReadonlyMap<
  string,
  (source: Fields, path: string, rules: SourceRules) => readonly Problem[]
> = new Map([
  ["object", validateObject],
  ["external", validateExternal],
  ["pods", validatePods],
  ["resource", validateResource],
  ["containerResource", validateContainerResource],
]);
