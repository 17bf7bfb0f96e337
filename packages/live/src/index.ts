// Live metrics: pods are scraped while a query asks for them, and PromQL is evaluated over a short window in memory.
//
// compileQuery reads a query once: its selectors say which series it needs, and how far back. createLiveMetrics scrapes
// the pods of the queries that are asked for, in rounds, and gives each the result of the last round.
export { compileQuery, wholeOf } from "./evaluate/compile.ts";
export { type Evaluated, evaluate } from "./evaluate/evaluate.ts";
export type { Plan } from "./evaluate/plan.ts";
export type { LiveSeries } from "./evaluate/series.ts";
export type { Format } from "./exposition/line.ts";
export { createExpositionReader, type ExpositionOptions } from "./exposition/reader.ts";
export { labelSet } from "./labels.ts";
export { createLiveMetrics, type LiveMetrics } from "./scrape/demand.ts";
export { createPageFetcher } from "./scrape/http.ts";
export type { LiveQuery, LiveResult } from "./scrape/query.ts";
export type { Found, PodFailure } from "./scrape/rounds.ts";
export { type AddressRules, type Endpoint, networks, type Target, targetOf } from "./scrape/target.ts";
export { createWindows } from "./scrape/window.ts";
export { createStore, type Store, type Watch } from "./store/store.ts";
