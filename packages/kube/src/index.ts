export { type AccessReviewResult, type AccessSpec, reviewAccess } from "./access-review.ts";
export {
  ApiError,
  ConnectionError,
  type ConnectionFailure,
  isConflict,
  isExpired,
  isNotFound,
} from "./api-error.ts";
export type { KubeClient, KubeRequest } from "./client.ts";
export { type Clock, systemClock } from "./clock.ts";
export { KubeconfigError } from "./connect/kubeconfig.ts";
export { type ConnectOptions, connect } from "./connect.ts";
export { createEventRecorder, type EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
export { createElector, type Elector, type ElectorOptions } from "./lease/elector.ts";
export { createSlotClaims, type SlotClaims, type SlotClaimsOptions } from "./lease/slot-claims.ts";
export type { KubeObject, ObjectMeta, ObjectReference, OwnerReference } from "./object.ts";
export { objectKey } from "./object-key.ts";
export type { Change } from "./reflect/change.ts";
export { createReflector, type Reflector, type ReflectorOptions } from "./reflector.ts";
export { type ResourceInfo, resourcePath } from "./resource.ts";
export { createRestMapper, type RestMapper, type RestMapperOptions } from "./rest-mapper.ts";
export { readScale, type Scale, writeScale } from "./scale.ts";
export { type FieldRequirement, type FieldSelector, parseFieldSelector } from "./selector/field-selector.ts";
export { type LabelSelector, labelSelector } from "./selector/label-selector.ts";
export { parseSelector } from "./selector/parse-selector.ts";
export { type Operator, type Requirement, SelectorError } from "./selector/requirement.ts";
export type { Selector } from "./selector/selector.ts";
export { replaceStatus } from "./status-writer.ts";
export { createStore, type Store, type WritableStore } from "./store.ts";
export { reviewToken, type TokenReviewResult, type UserInfo } from "./token-review.ts";
