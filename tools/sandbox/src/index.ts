// An in-memory Kubernetes API with simulated workloads, and the load on them.
export type { AccessAttributes, AccessDecision, AuthorizeHook } from "./auth/access.ts";
export type { ForeignGroupVersion } from "./discovery/discovery-routes.ts";
export {
  createInProcessSandbox,
  type InProcessOptions,
  type InProcessRequest,
  type InProcessSandbox,
} from "./in-process.ts";
export { createExporter, type Exporter } from "./load/exporter.ts";
export { createLoadModel, type LoadModel } from "./load/load-model.ts";
export type { LoadPoint } from "./load/schedule.ts";
export type { SeriesFault } from "./load/series-fault.ts";
export type { LoadMetric, WorkloadLoad, WorkloadName } from "./load/workload-load.ts";
export type { StreamSink, WatchCache } from "./rest/api-context.ts";
export {
  createSandbox,
  type Sandbox,
  type SandboxAddress,
  type SandboxOptions,
} from "./sandbox.ts";
export type { RenderedBody, RenderedResponse, RenderedStream } from "./server/render.ts";
export { stateFamilies } from "./state/families.ts";
export {
  createObjectStore,
  type ObjectStore,
  type StoreEvent,
  type VersionedStore,
} from "./storage/object-store.ts";
export { StoreError, type StoreErrorReason } from "./storage/store-error.ts";
export type { StoredMetadata, StoredObject } from "./storage/stored-object.ts";
export {
  type CertificateAuthority,
  createCertificateAuthority,
  type KeyPair,
} from "./tls/certificate-authority.ts";
export { certificateUser, kubeconfigText } from "./tls/kubeconfig.ts";
export type { WorkloadOptions } from "./workloads/index.ts";
