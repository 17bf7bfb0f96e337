// Reads from the Prometheus HTTP API; checks and edits PromQL; compiles the templates of prometheus-adapter's rules.
export { addressProblem } from "./address.ts";
export type { RequestAuthorization, RequestToAuthorize } from "./authorization.ts";
export type { LeftOut, ResponseBudget, ResponseMemory, ResponseShare } from "./body.ts";
export {
  createPrometheusClient,
  type InstantQueryOptions,
  type MetadataOptions,
  type PrometheusClient,
  type PrometheusClientOptions,
  type RangeQueryOptions,
  type RequestLimits,
} from "./client.ts";
export { cut } from "./cut.ts";
export { DurationError, parsePrometheusDuration } from "./duration.ts";
export { failureText, PrometheusError, type PrometheusErrorKind } from "./errors.ts";
export { isFilterable } from "./filterable.ts";
export type { FetchInit, FetchLike, FetchResponse, RequestClock } from "./http.ts";
export { isAnswered, type Linger } from "./linger.ts";
export {
  escapeRegex,
  escapeString,
  formatMatcher,
  formatMatchers,
  formatSelector,
  isLabelName,
  isMetricName,
  labelText,
  type Matcher,
  oneOf,
  quoteString,
} from "./matcher.ts";
export { createNodeFetch, type NodeFetch, type NodeFetchOptions, type TlsOptions } from "./node-fetch.ts";
export { rangesOf, withMatchers } from "./promql.ts";
export { ignoredProxies } from "./proxy.ts";
export {
  compileLabelTemplate,
  compileQueryTemplate,
  type LabelTemplate,
  type QueryFields,
  type QueryTemplate,
} from "./rule-template.ts";
export {
  type InstantResult,
  type Labels,
  labelOf,
  type MatrixSeries,
  missingPart,
  type QueryResult,
  type VectorSample,
} from "./sample.ts";
export { matchedLabels, type SelectorFacts, selectorFacts } from "./selector-facts.ts";
export { createSingleFlight, type SingleFlight } from "./single-flight.ts";
export { TemplateError } from "./template/error.ts";
