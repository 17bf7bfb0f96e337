// For tests: what a Prometheus could have of an autoscaler.
export { type MadeUpDay, type MadeUpSeries, madeUpDay, seriesWithin } from "./made-up-day.ts";
export { asOurs } from "./own-series.ts";
export { fromMs, hpa } from "./scenario.ts";
