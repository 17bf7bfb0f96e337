export { createWorkloads, type WorkloadOptions, type Workloads } from "./create-workloads.ts";
export { type NodeSize, nodeNames } from "./nodes.ts";
export { phaseAnnotation, readyDelayAnnotation } from "./pod-stage.ts";
