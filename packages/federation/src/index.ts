// Other metrics adapters behind one APIService.
export type { BackendAnswer, BackendFailure, BackendResult, FailureKind } from "./backend/answer.ts";
export { serviceAccountTokenFile } from "./backend/credentials.ts";
export type { FederatedRequest } from "./backend/federated-request.ts";
export { hopHeader } from "./backend/headers.ts";
export {
  type BackendConfig,
  type BackendMatch,
  type FederatedGroup,
  type FederationConfig,
  federatedGroups,
} from "./config/federation-config.ts";
export { loadFederation } from "./config/load-federation.ts";
export type { IsOwn } from "./directory/directory.ts";
export { listedName, type MetricTarget } from "./directory/metric-request.ts";
export { type ListedNames, placeholders } from "./discovery/read-list.ts";
export * from "./federation.ts";
export type { MemberBackend } from "./members.ts";
