/** The rules file without the server: what it says, and what it finds in a Prometheus. */
export { loadRules } from "./config/load.ts";
export { formatProblem, type Problem } from "./config/problem.ts";
export { createBuiltinMapper } from "./inspect/builtin-resources.ts";
export { inspectRules, type RuleInspection, type SampleQuery } from "./inspect/inspect-rules.ts";
export { type ResourceMapper, withoutShortNames } from "./naming/resource-labels.ts";
