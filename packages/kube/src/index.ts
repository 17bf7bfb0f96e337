// The client side of Kubernetes: requests, watches, discovery, events, leases, and controllers of objects.
export {
  ApiError,
  apiErrorText,
  ConnectionError,
  type ConnectionFailure,
  isConflict,
  isExpired,
  isNotFound,
  PortForwardRefusedError,
  publicErrorText,
  retryAfterOf,
} from "./client/api-error.ts";
export type { KubeClient, KubeRequest } from "./client/client.ts";
export * from "./client/connect.ts";
export * from "./client/endpoint.ts";
export type { ForwardPort, PodPort } from "./client/forward/forward-port.ts";
export type { EndpointIdentity } from "./client/forward/identity.ts";
export * from "./client/http/response-memory.ts";
export { type ClusterAccess, type KubeContext, KubeconfigError } from "./client/kubeconfig.ts";
export { createFairQueue, type FairQueue } from "./controller/fair-queue.ts";
export { hash } from "./controller/hash.ts";
export { createKeyTimers, type KeyTimers } from "./controller/key-timers.ts";
export * from "./controller/keyed-controller.ts";
export type { Priority } from "./controller/priority-lines.ts";
export type { ReconcileResult } from "./controller/reconcile-result.ts";
export { createRunLimit } from "./controller/run-limit.ts";
export { createRestMapper, type RestMapper, type RestMapperOptions } from "./discovery/rest-mapper.ts";
export * from "./events/event-recorder.ts";
export { type FieldRequirement, type FieldSelector, parseFieldSelector } from "./fields/field-selector.ts";
export { createElector } from "./leases/elector.ts";
export type { Elector, ElectorOptions } from "./leases/elector-options.ts";
export { type Lease, leases } from "./leases/lease.ts";
export { createShardClaims, type ShardClaims, type ShardClaimsOptions } from "./leases/shard-claims.ts";
export * from "./objects/mutation-cache.ts";
export * from "./objects/object.ts";
export { readList } from "./objects/read-list.ts";
export { replaceStatus } from "./objects/replace-status.ts";
export { type ResourceInfo, resourcePath } from "./objects/resource.ts";
export { isOlder } from "./objects/resource-version.ts";
export { readScale, type Scale, writeScale } from "./objects/scale.ts";
export { type AccessSpec, reviewAccess } from "./reviews/access-review.ts";
export { reviewToken } from "./reviews/token-review.ts";
export type { Change } from "./watch/change.ts";
export {
  createLeftOutReport,
  type LeftOut,
  type LeftOutReason,
  type ReportLeftOut,
} from "./watch/left-out.ts";
export type { ProtobufKind } from "./watch/protobuf-kind.ts";
export {
  createReflector,
  type Reflector,
  type ReflectorLimits,
  type ReflectorOptions,
} from "./watch/reflector.ts";
export { createStore, type Store, type WritableStore } from "./watch/store.ts";
