// The sources of a file: read, checked, and connected to.
import { createBoundedCache } from "@plimsoll/component-base";
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import {
  createPrometheusClient,
  type PrometheusClient,
  type RequestAuthorization,
} from "@plimsoll/prometheus";
import {
  createNamespaceCheck,
  fetchedAuth,
  readFilled,
  readSourceCredentials,
  type SourceAuth,
  type SourceConfig,
  type SourceCredentials,
} from "@plimsoll/rules";
import { createSourceAuthorization } from "../backends/credentials/index.ts";
import { maxItemBytes } from "../backends/prometheus/query/response-budgets.ts";
import type { Source } from "../backends/prometheus/source.ts";
import { type ConnectionSeams, followFiles } from "./prometheus-connection.ts";

/** For large responses of all these sources in flight together, shared equally: one cannot take that of another. */
const responseMemoryBytes = 64 * 1024 * 1024;
const minResponseMemoryBytes = 8 * 1024 * 1024;
/** For kept results, likewise. */
const resultBytes = 32 * 1024 * 1024;
const minResultBytes = 4 * 1024 * 1024;
/** For queries of a source with their labels. */
const labeledBytes = 1024 * 1024;
const labeledMs = 3_600_000;

/** A source that is connected. */
export interface ConnectedSource extends Source {
  /** It is not used any more: its connections are closed when its requests have ended. */
  retire(): void;
}

/** What the sources have together. */
export interface SharedSettings {
  readonly sources: number;
  readonly resultMaxAgeMs: number;
}

/** @throws Error, which names the source, when one of its files cannot be read. */
export async function connectSource(
  config: SourceConfig,
  { sources, resultMaxAgeMs }: SharedSettings,
  seams: ConnectionSeams,
): Promise<ConnectedSource> {
  const { client, retire } = createRetiringClient(await connect(config, sources, seams));
  const source = {
    client,
    resultMaxAgeMs: config.resultMaxAgeMs ?? resultMaxAgeMs,
    queryTimeoutMs: config.queryTimeoutMs,
    maxQueries: config.concurrency,
    maxTenantQueries: config.tenantConcurrency,
    resultBytes: Math.max(minResultBytes, Math.floor(resultBytes / sources)),
    ...usersOf(config),
    retire,
  };
  const { extraLabels } = config;
  if (extraLabels.length === 0) return source;
  // Only a process that adds labels has the grammar of PromQL in memory.
  const { withExtraLabels, withLabels } = await import("@plimsoll/prometheus/enforce");
  const shown = (query: string): string => {
    const labeled = withLabels(query, extraLabels);
    return labeled.ok ? labeled.query : query;
  };
  const known = createBoundedCache<string>({
    name: "labeled_queries",
    maxBytes: labeledBytes,
    maxKeyLength: 8_192,
    sizeOf: (labeled) => 2 * labeled.length,
    ttlMs: labeledMs,
  });
  return { ...source, client: withExtraLabels(client, extraLabels, known), shown };
}

/** A server with a tenant for each namespace serves no request of none. */
function usersOf({ namespaces, tenantHeaders }: SourceConfig): Pick<Source, "serves" | "isByNamespace"> {
  const isByNamespace = tenantHeaders.length > 0;
  const serves = namespaces === undefined && !isByNamespace ? undefined : createNamespaceCheck(namespaces);
  return { serves, isByNamespace };
}

async function connect(
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
      proxyUrl: config.proxyUrl,
      proxyEnv: seams.proxyEnv,
      headers,
      tenantHeaders: Object.fromEntries(config.tenantHeaders.map(({ name, value }) => [name, value])),
      tls,
      authorization,
      parameters: config.parameters,
      allowsPartial: config.allowsPartial,
      timeoutMs: config.queryTimeoutMs,
      maxResponseBytes: config.maxResponseBytes,
      maxItemBytes,
      responseMemory,
    });
  try {
    await checkFiles(config.auth, seams.readText);
    const read = (): Promise<SourceCredentials> => readSourceCredentials(config, seams.readText);
    return await followFiles({ read, create, fields: { source: config.name } }, seams);
  } catch (error) {
    throw new Error(`source ${config.name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** A client that requests may still have when another one takes its place. */
interface RetiringClient {
  readonly client: PrometheusClient;
  /** Closes it as soon as none of its requests is in flight; each request that comes later closes it again. */
  retire(): void;
}

function createRetiringClient(client: PrometheusClient): RetiringClient {
  let inFlight = 0;
  let isRetired = false;
  const closeIfUnused = (): void => {
    if (isRetired && inFlight === 0) void client.close();
  };
  const counted = async <T>(request: Promise<T>): Promise<T> => {
    inFlight += 1;
    try {
      return await request;
    } finally {
      inFlight -= 1;
      closeIfUnused();
    }
  };
  return {
    client: {
      query: (...request) => counted(client.query(...request)),
      queryRange: (...request) => counted(client.queryRange(...request)),
      series: (...request) => counted(client.series(...request)),
      labelNames: (...request) => counted(client.labelNames(...request)),
      labelValues: (...request) => counted(client.labelValues(...request)),
      close: () => client.close(),
    },
    retire() {
      isRetired = true;
      closeIfUnused();
    },
  };
}

/** Of the types that are not simply read; it outlives the clients that use it. */
function authorizationOf(auth: SourceAuth, seams: ConnectionSeams): RequestAuthorization | undefined {
  const fetched = fetchedAuth(auth);
  return fetched === undefined ? undefined : createSourceAuthorization(fetched, seams);
}

/** Files of a credential that is fetched later: that one cannot be used shows at the start. @throws Error then */
async function checkFiles(auth: SourceAuth, readText: ReadText): Promise<void> {
  const files: (string | undefined)[] = [];
  if (auth.type === "oauth2") files.push(auth.clientSecretFile, auth.caFile);
  if (auth.type === "google") files.push(auth.credentialsFile);
  await Promise.all(files.filter((file) => file !== undefined).map((file) => readFilled(file, readText)));
}
