// Rewrites PromQL of a tenant so that every selector selects series of one namespace only.
export { type EnforceOptions, enforceNamespace } from "./enforce.ts";
export type { EnforceLimits } from "./limits.ts";
export type { EnforceReason } from "./refused.ts";
export type { EnforcedQuery, EnforceRefusal, EnforceResult } from "./result.ts";
export type { EnforcedSelector, QueryCost } from "./time.ts";
