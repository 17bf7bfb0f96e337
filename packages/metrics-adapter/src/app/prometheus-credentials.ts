// Reads the credentials for Prometheus from the files that flags name.
import { dirname, resolve } from "node:path";
import type { ReadText } from "@plimsoll/kube/serving";
import type { TlsOptions } from "@plimsoll/prometheus";
import { parse, YAMLParseError } from "yaml";
import type { PrometheusOptions } from "../options/compile.ts";

/** What Prometheus is shown, read from wherever the flags point. */
export interface PrometheusCredentials {
  readonly token: string | undefined;
  readonly tls: TlsOptions;
  readonly authorization: string | undefined;
}

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * As in prometheus-adapter, a CA file or client certificate of our own flags rules out the credentials of a
 * kubeconfig or of the service account; a token file goes with any of them.
 * @throws Error when a file cannot be read or understood.
 */
export async function readPrometheusCredentials(
  options: PrometheusOptions,
  readText: ReadText,
): Promise<PrometheusCredentials> {
  const base = await readBase(options, readText);
  return options.tokenFile === undefined
    ? base
    : { ...base, token: (await readText(options.tokenFile)).trim() };
}

async function readBase(options: PrometheusOptions, readText: ReadText): Promise<PrometheusCredentials> {
  const { caFile, clientCertFile, clientKeyFile } = options;
  if (caFile !== undefined || clientCertFile !== undefined) {
    const tls = {
      ...(caFile === undefined ? {} : { ca: await readText(caFile) }),
      ...(clientCertFile === undefined ? {} : { cert: await readText(clientCertFile) }),
      ...(clientKeyFile === undefined ? {} : { key: await readText(clientKeyFile) }),
    };
    return { token: undefined, tls, authorization: undefined };
  }
  if (options.usesServiceAccount) {
    const [token, ca] = await Promise.all([
      readText(`${serviceAccount}/token`),
      readText(`${serviceAccount}/ca.crt`),
    ]);
    return { token: token.trim(), tls: { ca }, authorization: undefined };
  }
  return options.kubeconfig === undefined
    ? { token: undefined, tls: {}, authorization: undefined }
    : readKubeconfig(options.kubeconfig, readText);
}

interface Named {
  readonly name?: string;
  readonly context?: { readonly cluster?: string; readonly user?: string };
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
}

interface Kubeconfig {
  readonly "current-context"?: string;
  readonly contexts?: readonly (Named | null)[];
  readonly clusters?: readonly (Named | null)[];
  readonly users?: readonly (Named | null)[];
}

/** The parser's own message shows the lines around the mistake, and with them tokens and passwords. */
function parseKubeconfig(content: string, path: string): Kubeconfig {
  let place = "";
  try {
    return (parse(content) ?? {}) as Kubeconfig;
  } catch (error) {
    const at = error instanceof YAMLParseError ? error.linePos?.[0] : undefined;
    if (at !== undefined) place = ` at line ${at.line}, column ${at.col}`;
  }
  throw new Error(`${path} is not valid YAML${place}`);
}

async function readKubeconfig(path: string, readText: ReadText): Promise<PrometheusCredentials> {
  const config = parseKubeconfig(await readText(path), path);
  const find = (list: "contexts" | "clusters" | "users", name: string | undefined): Named | undefined => {
    if (name === undefined || name === "") return undefined;
    const found = Array.isArray(config[list])
      ? config[list].find((entry) => entry?.name === name)
      : undefined;
    if (found === undefined) throw new Error(`${path}: no ${JSON.stringify(name)} under ${list}`);
    return found;
  };
  const context = find("contexts", config["current-context"])?.context;
  if (context === undefined) throw new Error(`${path}: current-context is not one of the contexts`);
  const user = find("users", context.user)?.user ?? {};
  const cluster = find("clusters", context.cluster)?.cluster ?? {};
  const file = async (
    fields: Readonly<Record<string, unknown>>,
    key: string,
  ): Promise<string | undefined> => {
    const data = text(fields, `${key}-data`);
    const name = text(fields, key);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    return name === undefined ? undefined : readText(resolve(dirname(path), name));
  };
  const [ca, cert, key] = await Promise.all([
    file(cluster, "certificate-authority"),
    file(user, "client-certificate"),
    file(user, "client-key"),
  ]);
  const tokenFile = text(user, "tokenFile");
  const token =
    tokenFile === undefined ? text(user, "token") : await readText(resolve(dirname(path), tokenFile));
  const username = text(user, "username");
  return {
    token: token?.trim(),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(cluster["insecure-skip-tls-verify"] === true ? { insecureSkipVerify: true } : {}),
    },
    authorization:
      username === undefined
        ? undefined
        : `Basic ${Buffer.from(`${username}:${text(user, "password") ?? ""}`).toString("base64")}`,
  };
}

function text(fields: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
