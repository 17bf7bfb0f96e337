import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";

/** What a kubeconfig says about reaching its cluster, read anew so that rotated files and tokens take effect. */
export interface Credentials {
  readonly tls: {
    readonly ca?: string | Buffer | undefined;
    readonly cert?: string | Buffer | undefined;
    readonly key?: string | Buffer | undefined;
    readonly servername?: string | undefined;
    readonly rejectUnauthorized: boolean;
  };
  readonly headers: Readonly<Record<string, string>>;
}

/** How to reach a cluster. */
export interface Access {
  readonly server: string;
  credentials(): Promise<Credentials>;
}

export interface AccessOptions {
  /** A file; by default $KUBECONFIG, then ~/.kube/config, then the service account of the pod. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** @throws Error that names the file, the context or the field that is missing */
export async function loadAccess(options: AccessOptions): Promise<Access> {
  // The library takes 400 ms to import; a process that is only asked for --help does not pay that.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  if (options.kubeconfig === undefined) config.loadFromDefault();
  else loadFile(config, options.kubeconfig);
  if (options.context !== undefined) selectContext(config, options.context);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new Error("the kubeconfig has no current context with a cluster; set --kubeconfig");
  return {
    server: cluster.server.replace(/\/+$/, ""),
    async credentials() {
      // Plain HTTP is for local proxies, which add the credentials themselves.
      if (cluster.server.startsWith("http:")) return { tls: { rejectUnauthorized: true }, headers: {} };
      const https: RequestOptions = {};
      await config.applyToHTTPSOptions(https);
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(https.headers ?? {})) {
        if (value !== undefined) headers[name.toLowerCase()] = String(value);
      }
      if (https.auth) headers["authorization"] = `Basic ${Buffer.from(https.auth).toString("base64")}`;
      return {
        tls: {
          ca: https.ca as string | Buffer | undefined,
          cert: https.cert as string | Buffer | undefined,
          key: https.key as string | Buffer | undefined,
          servername: https.servername,
          rejectUnauthorized: https.rejectUnauthorized ?? cluster.skipTLSVerify !== true,
        },
        headers,
      };
    },
  };
}

function loadFile(config: KubeConfig, file: string): void {
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw new Error(`cannot read the kubeconfig ${file}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

function selectContext(config: KubeConfig, context: string): void {
  const names = config.contexts.map(({ name }) => name);
  if (!names.includes(context)) {
    throw new Error(`the kubeconfig has no context "${context}"; it has ${names.join(", ") || "none"}`);
  }
  config.setCurrentContext(context);
}
