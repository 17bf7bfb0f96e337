// An in-memory Kubernetes API with simulated workloads, and the load on them.
export type { AccessAttributes, AccessDecision, AuthorizeHook } from "./auth/authorize.ts";
export {
  createExporter,
  createLoadModel,
  type Exporter,
  type LoadMetric,
  type LoadModel,
  type LoadPoint,
  type SeriesFault,
  type WorkloadLoad,
  type WorkloadName,
} from "./load/index.ts";
export {
  createSandbox,
  type Sandbox,
  type SandboxAddress,
  type SandboxOptions,
} from "./sandbox.ts";
export {
  createObjectStore,
  type ObjectStore,
  type StoreEvent,
  type VersionedStore,
} from "./storage/object-store.ts";
export { StoreError, type StoreErrorReason } from "./storage/store-error.ts";
export type { OwnerReference, StoredMetadata, StoredObject } from "./storage/stored-object.ts";
export {
  type CertificateAuthority,
  createCertificateAuthority,
  type KeyPair,
} from "./tls/certificate-authority.ts";
