// The compiled form of a file of sources.

/** The source of rules that name none. */
export const defaultSource = "default";

/** A file of sources, read and checked. */
export interface SourcesConfig {
  /** In the order of the file; names are unique. */
  readonly sources: readonly SourceConfig[];
}

/** One Prometheus-compatible server, and how it is used. */
export interface SourceConfig {
  readonly name: string;
  readonly url: string;
  /** The proxy of its requests; undefined: that of the environment. */
  readonly proxyUrl: string | undefined;
  readonly verb: "GET" | "POST";
  /** Names are in lower case. */
  readonly headers: readonly SourceHeader[];
  /** Headers in whose values `{namespace}` is the namespace of the request: the server has a tenant for each. */
  readonly tenantHeaders: readonly SourceHeader[];
  /** Headers whose values are read from files, again when these change. */
  readonly headerFiles: readonly { readonly name: string; readonly file: string }[];
  readonly auth: SourceAuth;
  readonly tls: SourceTls;
  /** Parameters of each request, for what some servers have beyond Prometheus. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Whether values of a part of the data are served. */
  readonly allowsPartial: boolean;
  /** Labels that every selector of every query gets, and that no result has. */
  readonly extraLabels: readonly (readonly [name: string, value: string])[];
  readonly queryTimeoutMs: number;
  /** How old the data of a reused result may be; undefined: as of the other sources. */
  readonly resultMaxAgeMs: number | undefined;
  /** Queries in flight; undefined: as many as of the source of the flags. */
  readonly concurrency: number | undefined;
  /** Of these, queries that tenants wrote; undefined: a part that leaves most slots of a Prometheus to others. */
  readonly tenantConcurrency: number | undefined;
  readonly maxResponseBytes: number;
  /** Patterns of the namespaces whose requests may use it; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

/** A header of each request. */
export interface SourceHeader {
  readonly name: string;
  readonly value: string;
}

/** Files of a TLS connection, in PEM. */
export interface SourceTls {
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/** How requests prove who sends them. Secrets are always in files. */
export type SourceAuth =
  | { readonly type: "none" }
  | { readonly type: "mtls" }
  | { readonly type: "basic"; readonly username: string; readonly passwordFile: string }
  | { readonly type: "bearer"; readonly tokenFile: string }
  | FetchedAuth;

/** Credentials that are fetched, or computed for each request. */
export type FetchedAuth = OAuth2Auth | SigV4Auth | GoogleAuth | AzureAuth;

/** OAuth 2.0 client credentials, RFC 6749 section 4.4. */
export interface OAuth2Auth {
  readonly type: "oauth2";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecretFile: string;
  /** Where the client's secret is sent: in the Authorization header, or in the body. */
  readonly tokenAuthMethod: "client_secret_basic" | "client_secret_post";
  readonly scopes: readonly string[];
  /** Further parameters of the request for a token, such as audience. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** CA certificates of the token endpoint; undefined: the system's. */
  readonly caFile: string | undefined;
}

/** Signatures of AWS, with the credentials of the SDK's standard chain. */
export interface SigV4Auth {
  readonly type: "sigv4";
  readonly region: string;
  /** "aps" is Amazon Managed Service for Prometheus. */
  readonly service: string;
  /** Of the shared configuration files. */
  readonly profile: string | undefined;
}

/** Application Default Credentials of Google Cloud. */
export interface GoogleAuth {
  readonly type: "google";
  /** A key of a service account, or a configuration of workload identity federation. */
  readonly credentialsFile: string | undefined;
  readonly scope: string;
}

/** Azure: the environment, workload identity, or managed identity, in this order. */
export interface AzureAuth {
  readonly type: "azure";
  /** Of a managed or workload identity; undefined: the system-assigned one, or that of the environment. */
  readonly clientId: string | undefined;
  readonly scope: string;
}
