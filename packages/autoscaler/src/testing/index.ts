// For generators and tests of other packages: the CustomResourceDefinitions, which the process does not have.
export { cronHpaCrd } from "./crd/cron-hpa.ts";
export { workloadAutoscalerCrd } from "./crd/workload-autoscaler.ts";
