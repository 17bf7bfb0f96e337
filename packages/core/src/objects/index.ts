// Objects of the API that every package reads. Only packages of this repository import it.
export { checkHpa, unserved } from "./api/check/check-hpa.ts";
export { wlaFieldProblems } from "./api/check/wla-fields.ts";
export { invalid, required } from "./api/validate/problem.ts";
export { emptyMemory } from "./empty-memory.ts";
export {
  fieldOfType,
  metricIdentifier,
  metricName,
  metricSource,
  resourceName,
  sourceFields,
  targetTypes,
  textQuantities,
} from "./metrics.ts";
export {
  boundsAnnotation,
  boundsFields,
  cronHpaKind,
  group,
  managedAnnotation,
  metricRuleDefinition,
  reclaimAnnotation,
  scheduleManager,
  wlaDefinition,
} from "./names.ts";
