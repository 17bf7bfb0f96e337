// Stacks to try Plimsoll on: what the demo, the benches and the end-to-end tests share.
export { freePort } from "@plimsoll/component-base/testing";
export { type AuditedRequest, createAuditLog } from "./controlplane/audit-log.ts";
export { type ControlPlaneBinaries, findBinaries } from "./controlplane/binaries.ts";
export {
  type ClusterStack,
  type ClusterStackOptions,
  deployment,
  startClusterStack,
} from "./controlplane/cluster-stack.ts";
export { type ClusterStore, followCluster } from "./controlplane/cluster-store.ts";
export { type ControlPlane, startControlPlane } from "./controlplane/control-plane.ts";
export { node, startFakeKubelet } from "./controlplane/fake-kubelet.ts";

export { hpaController, workloadControllers } from "./controlplane/program-flags.ts";
export { findStateMetrics, startStateMetrics } from "./controlplane/state-metrics.ts";
export { findTestAdapter, startTestAdapter } from "./controlplane/test-adapter.ts";
export { type DeployTools, findDashboardCheck, findDeployTools } from "./deploytools/deploy-tools.ts";
export { generatedFiles, readText, unknownFiles } from "./deploytools/generated-files.ts";
export { writeJsonSchemas } from "./deploytools/json-schemas.ts";
export { readOperatorCrds } from "./deploytools/operator-crds.ts";
export { findRegistryTools, type RegistryTools } from "./deploytools/registry-tools.ts";
export { type Example, exampleFile, exampleJobs, exampleRules, examples } from "./examples/examples.ts";
export { contained, processInside } from "./images/contained.ts";
export { type ImageRecipe, readDockerfile } from "./images/dockerfile.ts";
export { namesIn, unpackImage } from "./images/image-archive.ts";
export { type PodImage, type PodImages, programImage } from "./nodes/pod-image.ts";
export { isOurs, startProcessKubelet } from "./nodes/process-kubelet.ts";
export { startServiceProxy } from "./nodes/service-proxy.ts";
export { applyManifests, parseManifests } from "./stack/apply.ts";
export { type Child, type ChildOptions, type Ending, runToEnd, startChild } from "./stack/child.ts";
export { cores, type Helper, pinned, serveParent, startHelper } from "./stack/helper-process.ts";
export { findKubectl, type Kubectl } from "./stack/kubectl.ts";
export { gaugeRules, startObservedLoad } from "./stack/pipeline.ts";
export {
  type PlimsollProcess,
  type PlimsollProgram,
  plimsollCommand,
  startPlimsoll,
} from "./stack/plimsoll-process.ts";
export { type PrometheusServer, prometheusProgram, startPrometheus } from "./stack/prometheus.ts";
export { ADAPTER_SERVER_NAME, registration } from "./stack/registration.ts";
export { startServedAutoscaler } from "./stack/served-autoscaler.ts";
export {
  type SandboxCluster,
  type Stack,
  type StackOptions,
  startSandboxCluster,
  startStack,
  startStackPipeline,
} from "./stack/stack.ts";
export { type Stops, startWhole, stopAll } from "./stack/stops.ts";
export { until } from "./stack/until.ts";
