// The compiled form of a file of backends.
import type { NamePattern } from "./name-pattern.ts";

/** The API groups that may be federated. `metrics.k8s.io` has one owner: metrics-server or us. */
export const federatedGroups = ["custom.metrics.k8s.io", "external.metrics.k8s.io"] as const;

/** One of these groups. */
export type FederatedGroup = (typeof federatedGroups)[number];

/** The versions of each, all of which list the same metrics. */
export const federatedVersions: Readonly<Record<FederatedGroup, readonly string[]>> = {
  "custom.metrics.k8s.io": ["v1beta2", "v1beta1"],
  "external.metrics.k8s.io": ["v1beta1"],
};

/** A file of backends, read and checked. */
export interface FederationConfig {
  /** In the order of the file, in which they are asked; names are unique. */
  readonly backends: readonly BackendConfig[];
}

/** Another metrics adapter, and which requests are its own. */
export interface BackendConfig {
  readonly name: string;
  /** Where it is, such as keda-metrics.keda.svc and 443; also the name in its certificate. */
  readonly host: string;
  readonly port: number;
  /** In PEM; undefined: the CAs of the runtime. */
  readonly caBundleFile: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** Has the token that is sent to it; undefined: that of our service account. */
  readonly tokenFile: string | undefined;
  readonly groups: readonly FederatedGroup[];
  readonly match: BackendMatch;
  /** Of a whole answer. */
  readonly timeoutMs: number;
  /** Requests in flight. */
  readonly concurrency: number;
  readonly maxAnswerBytes: number;
}

/** All that are written have to hold; undefined: not written. */
export interface BackendMatch {
  /** One of them is in the selector of the request. */
  readonly labelSelectorKeys: readonly string[] | undefined;
  /** One of them matches the name of the metric. */
  readonly metrics: readonly NamePattern[] | undefined;
  /** One of them matches the namespace. They also limit what it serves by its discovery. */
  readonly namespaces: readonly NamePattern[] | undefined;
}
