// The simulated controllers, scheduler and kubelets.
export { createWorkloads, type WorkloadOptions, type Workloads } from "./create-workloads.ts";
