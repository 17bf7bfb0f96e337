// The sources of a file: read, checked, and connected to.
import { createBoundedCache } from "@plimsoll/component-base";
import { createResponseMemory } from "@plimsoll/kube";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { createNamespaceCheck, type SourceConfig } from "@plimsoll/rules";
import type { Source } from "../backends/prometheus/source.ts";
import { type ConnectionSeams, followFiles } from "./prometheus-connection.ts";
import { createRetiringClient } from "./retiring-client.ts";
import {
  authorizationOf,
  checkFiles,
  readSourceCredentials,
  type SourceCredentials,
} from "./source-credentials.ts";

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

/** @throws Error, which names the source, when one of its files cannot be read. */
export async function connectSources(
  configs: readonly SourceConfig[],
  resultMaxAgeMs: number,
  seams: ConnectionSeams,
): Promise<ReadonlyMap<string, ConnectedSource>> {
  const connected = new Map<string, ConnectedSource>();
  try {
    for (const config of configs)
      connected.set(
        config.name,
        await connectSource(config, { sources: configs.length, resultMaxAgeMs }, seams),
      );
  } catch (error) {
    for (const source of connected.values()) source.retire();
    throw error;
  }
  return connected;
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
      headers,
      tenantHeaders: Object.fromEntries(config.tenantHeaders.map(({ name, value }) => [name, value])),
      tls,
      authorization,
      parameters: config.parameters,
      timeoutMs: config.queryTimeoutMs,
      maxResponseBytes: config.maxResponseBytes,
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
