// For tests and measurements: recordings of simulated workloads, months of one that never was, and what a Prometheus has of one.
export { asOurs, type MadeUpDay, type MadeUpSeries, madeUpDay, seriesWithin } from "./made-up-day.ts";
export { afterwards, loadTarget, type MonthOf, monthRequest, tuned } from "./month.ts";
export { recordScenario } from "./recorder.ts";
export { fromMs, hpa } from "./scenario.ts";
