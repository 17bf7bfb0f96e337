export { createWorkloads, type WorkloadOptions } from "./create-workloads.ts";
