// How a cluster is reached, by a kubeconfig or by what a pod is given.
import type { RequestOptions } from "node:https";
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import type { Clock } from "@plimsoll/component-base";
import { fileErrorText } from "@plimsoll/component-base/process";
import { redact, redactUrl } from "@plimsoll/core/redact";
import { ApiError } from "./api-error.ts";
import type { CredentialSource, Credentials, TlsMaterial } from "./credentials.ts";
import { type ForwardPort, forwardPort } from "./forward/forward-port.ts";

/** The server, and where its credentials come from. */
export interface ClusterAccess {
  /** Without a slash at the end. */
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly credentials: CredentialSource;
  readonly context: KubeContext;
  /** Absent: there is no such way, as where the server is a function. */
  readonly forwardPort?: ForwardPort;
}

/** What was chosen in a kubeconfig. */
export interface KubeContext {
  /** Undefined: the service account of a pod. */
  readonly name: string | undefined;
  readonly cluster: string;
  readonly user: string;
  /** Undefined: the context names none. */
  readonly namespace: string | undefined;
}

/** What to choose in a kubeconfig; what is absent is as the current context has it. */
export interface KubeconfigChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
}

/** There is no usable configuration of how to reach a cluster. */
export class KubeconfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "KubeconfigError";
  }
}

/** A kubeconfig file may be edited, and tokens in files that it names are replaced: it is re-read this often. */
const reloadAfterMs = 60_000;

/** Loads a kubeconfig, or what a pod is given. Throws KubeconfigError. */
export async function loadClusterAccess(
  options: KubeconfigChoice & { readonly clock: Clock },
): Promise<ClusterAccess> {
  const { clock } = options;
  // Loading this takes nearly half a second: only who connects pays for it.
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  const load = () => loadConfig(new Config(), options);

  let { config, context } = load();
  let loadedAtMs = clock.nowMs();
  const reload = () => {
    ({ config, context } = load());
    loadedAtMs = clock.nowMs();
  };
  const { server, proxyUrl } = config.getCurrentCluster() ?? { server: "", proxyUrl: undefined };
  return {
    server: server.replace(/\/+$/, ""),
    proxyUrl: proxyUrl || undefined,
    context,
    credentials: {
      read() {
        const user = config.getCurrentUser();
        // Plugins keep what they got within the configuration, for as long as that is valid.
        const isStatic = user?.exec == null && user?.authProvider == null;
        if (isStatic && Math.abs(clock.nowMs() - loadedAtMs) >= reloadAfterMs) reload();
        return credentialsOf(config);
      },
      async reload() {
        reload();
      },
    },
    async forwardPort(target, signal) {
      try {
        return await forwardPort(config, target, signal);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 401) throw error;
        // As with requests: a token may have been replaced, or a plugin has another one.
        reload();
        return await forwardPort(config, target, signal);
      }
    },
  };
}

interface Loaded {
  readonly config: KubeConfig;
  readonly context: KubeContext;
}

function loadConfig(config: KubeConfig, choice: KubeconfigChoice): Loaded {
  readFiles(config, choice.kubeconfig);
  const { cluster, user, context } = chosenOf(config, choice);
  // The loader's last resort, when there is neither a file nor a service account.
  const isLastResort = cluster.name === "cluster" && cluster.server === "http://localhost:8080";
  if (choice.kubeconfig === undefined && isLastResort) {
    throw new KubeconfigError(
      "no kubeconfig (KUBECONFIG, ~/.kube/config) and no service account of a pod was found",
    );
  }
  checkAddresses(cluster);
  // The loader's own guard against plain http concerns a request library that we do not use.
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith("http:");
  config.loadFromOptions({
    clusters: [{ ...cluster, skipTLSVerify }],
    users: [
      { ...user, ...(user.exec == null ? {} : { exec: withExecInfo(user.exec as ExecConfig, cluster) }) },
    ],
    contexts: [{ name: "current", cluster: cluster.name, user: user.name }],
    currentContext: "current",
  });
  return { config, context };
}

function readFiles(config: KubeConfig, path: string | undefined): void {
  try {
    if (path === undefined) config.loadFromDefault();
    else config.loadFromFile(path);
  } catch (error) {
    throw new KubeconfigError(
      `cannot load the kubeconfig${path === undefined ? "" : ` ${path}`}: ${loadFailure(error, path)}`,
    );
  }
}

function chosenOf(
  config: KubeConfig,
  choice: KubeconfigChoice,
): { readonly cluster: Cluster; readonly user: User; readonly context: KubeContext } {
  const { context } = choice;
  if (context !== undefined) {
    if (config.getContextObject(context) === null)
      throw new KubeconfigError(`context "${context}" does not exist${thereAre(config.getContexts())}`);
    config.setCurrentContext(context);
  }
  const name = config.getCurrentContext() || undefined;
  const cluster = namedCluster(config, choice.cluster) ?? config.getCurrentCluster();
  if (cluster === null) {
    throw new KubeconfigError(
      name === undefined
        ? `the kubeconfig has no current context${thereAre(config.getContexts())}`
        : `context "${name}" of the kubeconfig has no known cluster`,
    );
  }
  const user = namedUser(config, choice.user) ?? config.getCurrentUser() ?? { name: "anonymous" };
  const namespace = config.getContextObject(name ?? "")?.namespace || undefined;
  return { cluster, user, context: { name, cluster: cluster.name, user: user.name, namespace } };
}

function namedCluster(config: KubeConfig, name: string | undefined): Cluster | undefined {
  if (name === undefined) return undefined;
  const found = config.getCluster(name);
  if (found !== null) return found;
  throw new KubeconfigError(`cluster "${name}" does not exist${thereAre(config.getClusters())}`);
}

function namedUser(config: KubeConfig, name: string | undefined): User | undefined {
  if (name === undefined) return undefined;
  const found = config.getUser(name);
  if (found !== null) return found;
  throw new KubeconfigError(`user "${name}" does not exist${thereAre(config.getUsers())}`);
}

const maxListed = 20;

function thereAre(entries: readonly { readonly name: string }[]): string {
  if (entries.length === 0) return "";
  const names = entries.slice(0, maxListed).map(({ name }) => name);
  const more = entries.length > maxListed ? `, and ${entries.length - maxListed} more` : "";
  return `; there are: ${names.join(", ")}${more}`;
}

function checkAddresses({ name, server, proxyUrl }: Cluster): void {
  if (!/^https?:\/\/[^/]+/.test(server) || !URL.canParse(server)) {
    throw new KubeconfigError(
      `the server of cluster "${name}" is not an http or https URL: ${redactUrl(server)}`,
    );
  }
  if (!proxyUrl || isProxy(proxyUrl)) return;
  throw new KubeconfigError(
    `the proxy-url of cluster "${name}" is not an http, https, or socks5 URL: ${redactUrl(proxyUrl)}`,
  );
}

function isProxy(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !/^(?:https?|socks5h?):$/.test(url.protocol)) return false;
  try {
    decodeURIComponent(`${url.username}${url.password}`);
    return true;
  } catch {
    return false;
  }
}

/** The parser's own message shows the lines around the mistake, and with them tokens and passwords. */
function loadFailure(error: unknown, path: string | undefined): string {
  if (typeof error === "object" && error !== null && "mark" in error) {
    const { line, column } = error.mark as { readonly line: number; readonly column: number };
    return `it is not valid YAML at line ${line + 1}, column ${column + 1}`;
  }
  return redact(fileErrorText(error, path));
}

interface ExecConfig {
  readonly apiVersion?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly provideClusterInfo?: boolean;
}

/** Plugins may expect the API version and, if they request it, the cluster, in their environment. */
function withExecInfo(exec: ExecConfig, cluster: Cluster): ExecConfig {
  const about = {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.skipTLSVerify,
    "certificate-authority-data": cluster.caData,
    "proxy-url": cluster.proxyUrl,
  };
  const info = {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster: about } : {}) },
  };
  return {
    ...exec,
    env: [...(exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }],
  };
}

async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions & { key?: string | Buffer } = {};
  await config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  // Tokens from files may end in a newline, which no header may hold.
  for (const [name, value] of Object.entries(options.headers ?? {}))
    headers[name.toLowerCase()] = String(value).trim();
  const { auth } = options;
  if (typeof auth === "string") headers["authorization"] ??= `Basic ${Buffer.from(auth).toString("base64")}`;
  const tls: TlsMaterial = {
    ...(options.ca === undefined ? {} : { ca: options.ca.toString() }),
    ...(options.cert === undefined ? {} : { cert: options.cert.toString() }),
    ...(options.key === undefined ? {} : { key: options.key.toString() }),
    ...(options.servername === undefined ? {} : { servername: options.servername }),
    ...(options.rejectUnauthorized === undefined ? {} : { rejectUnauthorized: options.rejectUnauthorized }),
  };
  return { headers, tls };
}
