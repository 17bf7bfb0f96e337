// The sources of a file: read, checked, and connected to.
import { createResponseMemory } from "@plimsoll/kube";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { createNamespaceCheck, type SourceConfig } from "@plimsoll/rules";
import type { Source } from "../backends/prometheus/source.ts";
import { type ConnectionSeams, followFiles } from "./prometheus-connection.ts";
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
