// prometheus-adapter's rules: what a file of them says, and what it finds in a Prometheus.
export type {
  CompiledResourceRule,
  CompiledResourceRules,
  CompiledResources,
  CompiledRule,
  CompiledRules,
  LabelOverride,
  RuleLive,
  SourceUse,
} from "./compile/compiled-rules.ts";
export { type LoadedRules, loadRules, withoutProblems } from "./compile/load.ts";
export type { CustomEntry, ExternalEntry, Former, MetricInfo } from "./discovery/discover.ts";
export { type DiscoveredRule, discoverRule } from "./discovery/discover-rule.ts";
export type { PrometheusRead } from "./discovery/prometheus-read.ts";
export { createSeriesSource, type SeriesSource } from "./discovery/series-source.ts";
export {
  type Collision,
  createSnapshot,
  createSnapshotInSlices,
  emptySnapshot,
  type RegistrySnapshot,
  type RuleFindings,
} from "./discovery/snapshot.ts";
export { openDocument, type Place, type PromqlSyntax, type RulesDocument } from "./document/document.ts";
export { formatProblem, type Problem } from "./document/problem.ts";
export { createBuiltinMapper } from "./inspect/builtin-resources.ts";
export {
  type InspectedMetric,
  type InspectOptions,
  inspectRules,
  type RuleInspection,
  type SampleQuery,
} from "./inspect/inspect-rules.ts";
export type { Reason } from "./inspect/reason.ts";
export {
  canonicalResource,
  type MetricTrace,
  type OtherRule,
  type RuleCandidate,
  type TraceOptions,
  traceMetric,
} from "./inspect/trace-metric.ts";
export type { ClusterResource, ResourceMapper } from "./naming/cluster-resource.ts";
export type { MetricName } from "./naming/metric-name.ts";
export { compilePattern, type Pattern, PatternError } from "./naming/pattern.ts";
export {
  createResourceLabels,
  groupResourceOf,
  type ResourceLabels,
  withoutShortNames,
} from "./naming/resource-labels.ts";
export { byLabel } from "./query/by-label.ts";
export { type EvaluatedSample, type Evaluation, evaluateQuery, type RunQuery } from "./query/evaluate.ts";
export {
  type Doubled,
  describeLabels,
  describeSamples,
  labelProblem,
  type Matched,
  type MatchRequest,
  matchSamples,
} from "./query/match.ts";
export { isNamespaceName, isObjectName } from "./query/object-names.ts";
export {
  type Planned,
  planQuery,
  type QueryPlan,
  type QueryRequest,
  type QueryScope,
} from "./query/plan.ts";
export { matchersOf, type SelectorMatcher, type SelectorMatchers } from "./query/selector-matchers.ts";
export { quantityOf, type ValueFormat } from "./query/value.ts";
export { type Catalog, type ListedRule, listMetrics } from "./serve/catalog.ts";
export { type EntryResult, evaluateEntry, planEntry, type ServeContext } from "./serve/evaluate-entry.ts";
export type { MetricRequest, Served, ServedItem } from "./serve/request.ts";
export { serveMetric } from "./serve/serve.ts";
export {
  checkSources,
  createNamespaceCheck,
  matchesGlob,
  rulesOfSource,
  sourceOf,
  type UsableSource,
  usableSources,
} from "./sources/check-rules.ts";
export {
  fetchedAuth,
  readBearer,
  readFilled,
  readSourceCredentials,
  type SourceCredentials,
} from "./sources/credentials.ts";
export {
  readBytes,
  readInteger,
  readName,
  readOptional,
  readRequired,
  readTexts,
  readTimeout,
} from "./sources/fields.ts";
export { loadSources } from "./sources/load-sources.ts";
export { type Loaded, loadNamedEntries } from "./sources/named-entries.ts";
export {
  type AzureAuth,
  defaultSource,
  type FetchedAuth,
  type GoogleAuth,
  type OAuth2Auth,
  type SigV4Auth,
  type SourceAuth,
  type SourceConfig,
  type SourceHeader,
  type SourcesConfig,
  type SourceTls,
} from "./sources/source-config.ts";
