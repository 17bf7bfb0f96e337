// Live metrics: PromQL over a short window in memory.
//
// compileQuery reads a query once; its selectors say which series it needs, and how far back. evaluate runs the plan
// over series that the caller has: labels, and samples in the order of time.
export { compileQuery } from "./evaluate/compile.ts";
export { type Evaluated, type Evaluation, evaluate } from "./evaluate/evaluate.ts";
export type { EvaluationReason, Plan, PlanRefusal, Selector } from "./evaluate/plan.ts";
export type { LiveSeries, Samples } from "./evaluate/series.ts";
export { type LabelSet, labelSet } from "./labels.ts";
