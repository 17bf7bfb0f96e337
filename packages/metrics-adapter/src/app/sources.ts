// The sources of a file: read, checked, and connected to.
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import {
  createPrometheusClient,
  type PrometheusClient,
  type RequestAuthorization,
  type TlsOptions,
} from "@plimsoll/prometheus";
import { createNamespaceCheck, type SourceAuth, type SourceConfig } from "@plimsoll/rules";
import { createSourceAuthorization } from "@plimsoll/source-auth";
import type { Source } from "../backends/prometheus/source.ts";
import { type ConnectionSeams, followFiles } from "./prometheus-connection.ts";

/** For large responses of all these sources in flight together, shared equally: one cannot take that of another. */
const responseMemoryBytes = 64 * 1024 * 1024;
const minResponseMemoryBytes = 8 * 1024 * 1024;
/** For kept results, likewise. */
const resultBytes = 32 * 1024 * 1024;
const minResultBytes = 4 * 1024 * 1024;

/** A source that is connected, and what closes it. */
export interface ConnectedSource extends Source {
  readonly client: PrometheusClient;
}

/** @throws Error, which names the source, when one of its files cannot be read. */
export async function connectSources(
  configs: readonly SourceConfig[],
  resultMaxAgeMs: number,
  seams: ConnectionSeams,
): Promise<ReadonlyMap<string, ConnectedSource>> {
  const connected = new Map<string, ConnectedSource>();
  for (const config of configs) {
    connected.set(config.name, {
      client: await connectSource(config, configs.length, seams),
      resultMaxAgeMs: config.resultMaxAgeMs ?? resultMaxAgeMs,
      queryTimeoutMs: config.queryTimeoutMs,
      maxQueries: config.concurrency,
      resultBytes: Math.max(minResultBytes, Math.floor(resultBytes / configs.length)),
      serves: config.namespaces === undefined ? undefined : createNamespaceCheck(config.namespaces),
    });
  }
  return connected;
}

async function connectSource(
  config: SourceConfig,
  sources: number,
  seams: ConnectionSeams,
): Promise<PrometheusClient> {
  const bytes = Math.max(minResponseMemoryBytes, Math.floor(responseMemoryBytes / sources));
  const responseMemory = createResponseMemory(bytes);
  const authorization = authorizationOf(config.auth, seams);
  const create = ({ headers, tls }: SourceCredentials): PrometheusClient =>
    createPrometheusClient({
      url: config.url,
      verb: config.verb,
      headers,
      tls,
      authorization,
      timeoutMs: config.queryTimeoutMs,
      maxResponseBytes: config.maxResponseBytes,
      responseMemory,
    });
  try {
    const read = (): Promise<SourceCredentials> => readSourceCredentials(config, seams.readText);
    return await followFiles({ read, create, fields: { source: config.name } }, seams);
  } catch (error) {
    throw new Error(`source ${config.name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Of the types whose credentials are not simply read; it outlives the clients that use it. */
function authorizationOf(auth: SourceAuth, seams: ConnectionSeams): RequestAuthorization | undefined {
  switch (auth.type) {
    case "none":
    case "basic":
    case "bearer":
    case "mtls":
      return undefined;
    default:
      return createSourceAuthorization(auth, seams);
  }
}

interface SourceCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
}

/** What is sent to a source, read from its files. @throws Error when one cannot be read, or cannot be a header. */
export async function readSourceCredentials(
  { headers, headerFiles, auth, tls }: SourceConfig,
  readText: ReadText,
): Promise<SourceCredentials> {
  const optional = async (file: string | undefined): Promise<string | undefined> =>
    file === undefined ? undefined : await readText(file);
  const [ca, cert, key] = await Promise.all([
    optional(tls.caFile),
    optional(tls.certFile),
    optional(tls.keyFile),
  ]);
  const all: Record<string, string> = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  for (const { name, file } of headerFiles) all[name] = headerValue(await readText(file), file);
  const authorization = await readAuthorization(auth, readText);
  if (authorization !== undefined) all["authorization"] = authorization;
  return {
    headers: all,
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
      ...(tls.insecureSkipVerify ? { insecureSkipVerify: true } : {}),
    },
  };
}

async function readAuthorization(auth: SourceAuth, readText: ReadText): Promise<string | undefined> {
  switch (auth.type) {
    case "bearer":
      return `Bearer ${headerValue(await readText(auth.tokenFile), auth.tokenFile)}`;
    case "basic": {
      const password = (await readText(auth.passwordFile)).replace(/\r?\n$/, "");
      return `Basic ${Buffer.from(`${auth.username}:${password}`).toString("base64")}`;
    }
    default:
      return undefined;
  }
}

/** The content of a file as the value of a header. It is in no message. */
function headerValue(text: string, file: string): string {
  const value = text.trim();
  if (value === "") throw new Error(`${file} is empty`);
  if (/[^\t\x20-\x7e]/.test(value)) throw new Error(`${file} has a character that no header may have`);
  return value;
}
