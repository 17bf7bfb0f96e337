// Load on simulated pods, and its series.
export { createExporter, type Exporter } from "./exporter.ts";
export type { Family } from "./family.ts";
export { createLoadModel, type LoadModel } from "./load-model.ts";
export type { LoadPoint } from "./schedule.ts";
export type { SeriesFault } from "./series-fault.ts";
export type { LoadMetric, WorkloadLoad, WorkloadName } from "./workload-load.ts";
