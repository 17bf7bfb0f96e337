// For tests: what a Prometheus could have of an autoscaler.
export { fromMs, hpa, type MadeUpDay, type MadeUpSeries, madeUpDay, seriesWithin } from "./made-up-day.ts";
export { asOurs } from "./own-series.ts";
