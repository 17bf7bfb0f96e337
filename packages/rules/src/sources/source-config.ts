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
  readonly verb: "GET" | "POST";
  /** Names are in lower case. */
  readonly headers: readonly SourceHeader[];
  /** Headers whose values are read from files, again when these change. */
  readonly headerFiles: readonly { readonly name: string; readonly file: string }[];
  readonly auth: SourceAuth;
  readonly tls: SourceTls;
  readonly queryTimeoutMs: number;
  /** How old the data of a reused result may be; undefined: as of the other sources. */
  readonly resultMaxAgeMs: number | undefined;
  /** Queries in flight; undefined: as many as of the source of the flags. */
  readonly concurrency: number | undefined;
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
  | { readonly type: "none" | "mtls" }
  | { readonly type: "basic"; readonly username: string; readonly passwordFile: string }
  | { readonly type: "bearer"; readonly tokenFile: string };
