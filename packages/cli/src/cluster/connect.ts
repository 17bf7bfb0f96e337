// Connects commands about rules with a Prometheus and a cluster.
import { messageOf } from "@plimsoll/component-base";
import type { Fields } from "@plimsoll/core/internal/values";
import { redactUrl } from "@plimsoll/core/redact";
import { listOf, nameOf } from "@plimsoll/doctor";
import { ApiError, connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { createPrometheusClient, type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { type ResourceMapper, withoutShortNames } from "@plimsoll/rules";
import { Option } from "commander";
import { readInput } from "../input/read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";
import { repeated } from "./flags.ts";

/** How a Prometheus is reached. */
export interface PrometheusFlags {
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a query; that of the client when absent. */
  readonly timeoutMs?: number;
  readonly seams: CliSeams;
}

/** The flags of a Prometheus, as commander hands them over. */
export interface PrometheusChoice {
  readonly prometheusUrl?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly prometheusHeader?: readonly string[];
}

export function prometheusOptions(): readonly Option[] {
  return [
    new Option("--token-file <FILE>", "file with a bearer token for Prometheus"),
    new Option("--ca-file <FILE>", "CA bundle for the certificate of Prometheus"),
    prometheusHeaderOption(),
  ];
}

/** Of every command that queries a Prometheus. */
export function prometheusHeaderOption(): Option {
  const help = "header for each request to Prometheus, such as X-Scope-OrgID=team; repeatable";
  return new Option("--prometheus-header <NAME=VALUE>", help).argParser(repeated);
}

/** @throws CliError without the text, which may be a credential */
export function prometheusHeaders({
  prometheusHeader = [],
}: Pick<PrometheusChoice, "prometheusHeader">): Readonly<Record<string, string>> {
  return Object.fromEntries(
    prometheusHeader.map((text) => {
      const [, name, value] = /^([\w-]+)=(.*)$/.exec(text) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new CliError("--prometheus-header must be NAME=VALUE");
    }),
  );
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
      proxyEnv: seams.env,
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

/** The names of the nodes of a cluster; undefined where they cannot be read, and where there are none. */
export async function nodeNames(client: KubeClient): Promise<readonly string[] | undefined> {
  try {
    const list = await client.request<Fields>({ path: "/api/v1/nodes", query: { limit: 5000 } });
    const names = listOf(list["items"]).map(nameOf);
    return names.length === 0 ? undefined : names;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
