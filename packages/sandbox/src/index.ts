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
