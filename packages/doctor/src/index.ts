// The entry of the package: the rules, what they look at and what they find.
export { type Diagnosis, diagnose, docsOf, findingObject } from "./diagnose.ts";
export { backendOf, type MetricsGroup, metricsGroups, servicesOf } from "./evidence/api-services.ts";
export {
  type Autoscaler,
  isResourceMetric,
  keyOf,
  type Metric,
  readAutoscaler,
} from "./evidence/autoscaler.ts";
export type * from "./evidence/facts.ts";
export { at, labelsOf, listOf, numberOf, textsOf } from "./evidence/fields.ts";
export {
  groupOf,
  isSame,
  nameOf,
  namespaceOf,
  printReference,
  type Reference,
  readReference,
} from "./evidence/meta.ts";
export { noFacts } from "./evidence/no-facts.ts";
export { type PastDecision, type PastMetric, pastDecision } from "./evidence/past-decision.ts";
export { known, type Reading, unknown, valueOf } from "./evidence/reading.ts";
export * from "./finding.ts";
export { diagnoseRecorded, type RecordedObject, recordedRules } from "./recorded.ts";
export { type ClusterRule, type ObjectRule, type Rule } from "./rule.ts";
export { frontMetrics } from "./rules/fronts.ts";
export { rules } from "./rules/rules.ts";
export { thresholds } from "./thresholds.ts";
