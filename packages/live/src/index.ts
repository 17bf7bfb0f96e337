// Live metrics: PromQL over a short window in memory.
//
// compileQuery reads a query once; its selectors say which series it needs, and how far back. createExpositionReader, one
// for each pod, keeps what they want of a response, chunk by chunk. createStore, one for each namespace, holds the
// samples. evaluate runs the plan on what a watch of the store finds. The caller brings the pods, the bytes, and the time:
//
//   const plan = compileQuery(query);                       // or why it is refused
//   const watch = store.watch(plan);                        // while somebody asks
//   const reader = createExpositionReader({ selectors: plan.selectors, targetLabels: [["pod", name]] });
//   const exposition = reader.start("openmetrics");         // by the Content-Type of each response
//   exposition.push(chunk);                                 // false: hang up
//   const scraped = exposition.end();
//   scraped.ok ? target.scraped(scraped.samples, atMs) : target.failed(atMs);   // target = store.target(), one for each pod
//   evaluate(plan, { atMs, lookbackMs, seriesOf: watch.seriesOf });
export { compileQuery } from "./evaluate/compile.ts";
export { type Evaluated, type Evaluation, evaluate } from "./evaluate/evaluate.ts";
export type { EvaluationReason, Plan, PlanRefusal, Selector } from "./evaluate/plan.ts";
export type { LiveSeries, Samples } from "./evaluate/series.ts";
export type { Format } from "./exposition/line.ts";
export {
  createExpositionReader,
  type Exposition,
  type ExpositionLimits,
  type ExpositionOptions,
  type ExpositionReader,
  type Scraped,
  type ScrapedSample,
} from "./exposition/reader.ts";
export { type LabelSet, labelSet } from "./labels.ts";
export {
  createStore,
  type Store,
  type Stored,
  type StoredTarget,
  type StoreOptions,
  type Watch,
} from "./store/store.ts";
export type { StoreLimits } from "./store/table.ts";
