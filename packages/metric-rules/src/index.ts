// MetricRules: metrics that teams define for their own namespace in plain PromQL.
export type { Catalog } from "./catalog/catalog.ts";
export type { MayDefine } from "./catalog/namespace-names.ts";
export type { RulesPresence } from "./catalog/presence.ts";
export { createWatchedRules, type WatchedRules, type WatchedRulesOptions } from "./catalog/watched-rules.ts";
export * from "./check/check-objects.ts";
export {
  type CompileContext,
  compileRule,
  liveProblem,
  planLive,
  type ResourceAnswer,
  type RuleSource,
} from "./compile/compile-rule.ts";
export type { CompiledRule, Decided, Refusal, RefusalReason } from "./compile/compiled.ts";
export { defaultRuleLimits, type RuleLimits } from "./compile/limits.ts";
export { titleOf } from "./compile/title.ts";
export type {
  LivePods,
  MetricRuleSpec,
  ReadSpec,
  RuleCondition,
  RuleStatus,
  WatchedRule,
} from "./kind/kind.ts";
export { readSpec } from "./kind/read-spec.ts";
export {
  createWatchedQueries,
  type WatchedQueries,
  type WatchedQueriesOptions,
} from "./queries/watched-queries.ts";
export type { Failure, Freshness, Outcome, QuerySource, Ran, RuleQuery } from "./serve/outcome.ts";
export type { Dropped, ObjectValue, PlainValue, WantedObjects } from "./serve/read-values.ts";
export * from "./serve/serve.ts";
export { createStatusWriter, type StatusWriter, type StatusWriterOptions } from "./status/status-writer.ts";
