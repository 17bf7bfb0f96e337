export { createExporter, type Exporter, type ExporterOptions } from "./exporter.ts";
export type { Family, Sample } from "./family.ts";
export { createLoadModel, type LoadModel, type LoadModelOptions } from "./load-model.ts";
export { compressPoints, type LoadPoint } from "./schedule.ts";
export type { SeriesFault } from "./series-fault.ts";
export type { LoadMetric, WorkloadLoad, WorkloadName } from "./workload-load.ts";
