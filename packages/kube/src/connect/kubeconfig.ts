import type { Cluster, KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "../clock.ts";
import type { CredentialSource, Credentials, TlsMaterial } from "./credentials.ts";

export interface ClusterAccess {
  /** Without a slash at the end. */
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly credentials: CredentialSource;
}

/** There is no usable configuration of how to reach a cluster. */
export class KubeconfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "KubeconfigError";
  }
}

/** A kubeconfig file may be edited, and tokens in files that it names are replaced: it is read anew this often. */
const reloadAfterMs = 60_000;

/** Loads a kubeconfig, or what a pod is given. Throws KubeconfigError. */
export async function loadClusterAccess(o: {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly clock: Clock;
}): Promise<ClusterAccess> {
  // Loading this takes nearly half a second: only who connects pays for it.
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  const load = () => loadConfig(new Config(), o.kubeconfig, o.context);

  let config = load();
  let loadedAtMs = o.clock.nowMs();
  const reload = () => {
    config = load();
    loadedAtMs = o.clock.nowMs();
  };
  const { server, proxyUrl } = config.getCurrentCluster() ?? { server: "", proxyUrl: undefined };
  return {
    server: server.replace(/\/+$/, ""),
    proxyUrl,
    credentials: {
      read() {
        const user = config.getCurrentUser();
        // Plugins keep what they got within the configuration, for as long as that is valid.
        const isStatic = user?.exec == null && user?.authProvider == null;
        if (isStatic && Math.abs(o.clock.nowMs() - loadedAtMs) >= reloadAfterMs) reload();
        return credentialsOf(config);
      },
      async reload() {
        reload();
      },
    },
  };
}

function loadConfig(config: KubeConfig, path: string | undefined, context: string | undefined): KubeConfig {
  try {
    if (path === undefined) config.loadFromDefault();
    else config.loadFromFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KubeconfigError(
      `cannot load the kubeconfig${path === undefined ? "" : ` ${path}`}: ${reason}`,
      error,
    );
  }
  if (context !== undefined) {
    if (config.getContextObject(context) === null)
      throw new KubeconfigError(`context "${context}" does not exist`);
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const name = config.getCurrentContext();
    throw new KubeconfigError(
      name === undefined || name === ""
        ? "the kubeconfig has no current context"
        : `context "${name}" of the kubeconfig names no known cluster`,
    );
  }
  // The loader's last resort, when there is neither a file nor a service account.
  if (path === undefined && cluster.name === "cluster" && cluster.server === "http://localhost:8080") {
    throw new KubeconfigError(
      "no kubeconfig (KUBECONFIG, ~/.kube/config) and no service account of a pod was found",
    );
  }
  if (!/^https?:\/\/[^/]+/.test(cluster.server)) {
    throw new KubeconfigError(`the server of cluster "${cluster.name}" is no http(s) URL: ${cluster.server}`);
  }
  const user = config.getCurrentUser() ?? { name: "anonymous" };
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
  return config;
}

interface ExecConfig {
  readonly apiVersion?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly provideClusterInfo?: boolean;
}

/** Plugins may expect to be told which version to speak and, if they ask for it, to which cluster. */
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

interface HttpsOptions {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
  auth?: string;
  headers?: Record<string, string>;
}

async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const options: HttpsOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  // Tokens from files may end in a newline, which no header may hold.
  for (const [name, value] of Object.entries(options.headers ?? {}))
    headers[name.toLowerCase()] = value.trim();
  if (options.auth !== undefined) {
    headers["authorization"] ??= `Basic ${Buffer.from(options.auth, "utf8").toString("base64")}`;
  }
  const tls: TlsMaterial = {
    ...(options.ca === undefined ? {} : { ca: options.ca.toString() }),
    ...(options.cert === undefined ? {} : { cert: options.cert.toString() }),
    ...(options.key === undefined ? {} : { key: options.key.toString() }),
    ...(options.servername === undefined ? {} : { servername: options.servername }),
    ...(options.rejectUnauthorized === undefined ? {} : { rejectUnauthorized: options.rejectUnauthorized }),
  };
  return { headers, tls };
}
