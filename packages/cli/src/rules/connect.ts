// Connects commands about rules with a Prometheus and a cluster.
import { messageOf } from "@plimsoll/component-base";
import { redactUrl } from "@plimsoll/core/redact";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { createPrometheusClient, type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { type ResourceMapper, withoutShortNames } from "@plimsoll/rules";
import { readInput } from "../read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";

/** How a Prometheus is reached. */
export interface PrometheusFlags {
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a query; that of the client when absent. */
  readonly timeoutMs?: number;
  readonly seams: CliSeams;
}

/** A cluster whose resources are known. */
export interface RulesCluster {
  readonly mapper: ResourceMapper;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** Connects and sends a first, simple query, because a wrong address is one error of the caller, not a finding for each rule. */
export async function openPrometheus(url: string, flags: PrometheusFlags): Promise<PrometheusClient> {
  const client = await prometheusClient(url, flags);
  try {
    await client.query("vector(1)", { signal: flags.seams.signal });
    return client;
  } catch (error) {
    await client.close();
    if (!(error instanceof PrometheusError)) throw error;
    throw new CliError(`cannot query Prometheus at ${redactUrl(url)}: ${error.message}`);
  }
}

/** Sends nothing yet. @throws CliError for an address or a file that cannot be used */
export async function prometheusClient(
  url: string,
  { seams, tokenFile, caFile, headers = {}, timeoutMs }: PrometheusFlags,
): Promise<PrometheusClient> {
  const token = tokenFile && (await readInput(tokenFile, seams)).trim();
  const ca = caFile && (await readInput(caFile, seams));
  return await orCliError("cannot query Prometheus", async () =>
    createPrometheusClient({
      url,
      headers,
      ...(token ? { bearerToken: () => token } : {}),
      ...(ca ? { tls: { ca } } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),
  );
}

/** Resources by what the cluster has. @throws CliError */
export async function openCluster(kubeconfig: string, seams: CliSeams): Promise<RulesCluster> {
  const client = await orCliError(`cannot use ${kubeconfig}`, () =>
    connect({ kubeconfig, userAgent: `plimsoll/${seams.version}` }),
  );
  const mapper = createRestMapper({ client });
  try {
    await mapper.refresh();
  } catch (error) {
    await client.close();
    throw new CliError(`cannot read the resources of the cluster: ${messageOf(error)}`);
  }
  return { mapper: withoutShortNames(mapper), client, close: () => client.close() };
}

async function orCliError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CliError(`${what}: ${messageOf(error)}`);
  }
}
