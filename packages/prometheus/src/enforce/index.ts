// Rewrites PromQL: every selector selects series of one namespace, or with further labels, only.
export { type EnforceOptions, enforceNamespace } from "./enforce.ts";
export { type LabeledQueries, withExtraLabels } from "./labeled-client.ts";
export type { EnforceLimits } from "./limits.ts";
export type { EnforceReason } from "./refused.ts";
export type { EnforcedQuery, EnforceRefusal, EnforceResult } from "./result.ts";
export type { EnforcedSelector, QueryCost } from "./time.ts";
export { type ExtraLabels, type LabeledQuery, withLabels } from "./with-labels.ts";
