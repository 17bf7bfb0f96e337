// Connects with the servers of a file of sources, as the adapter does.
import { messageOf } from "@plimsoll/component-base";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { withExtraLabels } from "@plimsoll/prometheus/enforce";
import {
  type CompiledRules,
  checkSources,
  defaultSource,
  fetchedAuth,
  formatProblem,
  loadSources,
  type Problem,
  readSourceCredentials,
  rulesOfSource,
  type SourceConfig,
  usableSources,
} from "@plimsoll/rules";
import { Option } from "commander";
import { readInput } from "../input/read-input.ts";
import { CliError, type CliSeams } from "../seams.ts";

/** Of every command that queries for the rules of an adapter. */
export function sourcesConfigOption(): Option {
  const help = "file of further Prometheus-compatible servers, as --sources-config of metrics-adapter";
  return new Option("--sources-config <FILE>", help);
}

/** The servers that rules use. */
export interface RuleServers {
  /** Rules that name a source which there is not, or which cannot serve them. */
  check(rules: CompiledRules): readonly Problem[];
  /** The result for the rules of each server, in the order in which the file names the servers. @throws CliError without a server */
  each<T>(
    rules: CompiledRules,
    run: (part: CompiledRules, client: PrometheusClient) => Promise<T>,
  ): Promise<readonly T[]>;
  close(): Promise<void>;
}

interface Place {
  /** A file; undefined: all rules use one server. */
  readonly sourcesConfig: string | undefined;
  /** The server of the flags, in place of the file's default one; undefined: there is none. */
  readonly open: (() => Promise<PrometheusClient>) | undefined;
  readonly seams: CliSeams;
}

/** Sends nothing to the servers of the file yet. @throws CliError where a file cannot be read or used */
export async function openServers({ sourcesConfig, open, seams }: Place): Promise<RuleServers> {
  const configs = sourcesConfig === undefined ? [] : await readConfigs(sourcesConfig, seams);
  const clients = new Map<string, PrometheusClient>();
  const close = async (): Promise<void> => {
    await Promise.allSettled([...clients.values()].map((client) => client.close()));
  };
  try {
    if (open !== undefined) clients.set(defaultSource, await open());
    for (const config of configs)
      if (!clients.has(config.name)) clients.set(config.name, await connect(config, seams));
  } catch (error) {
    await close();
    throw error;
  }
  const usable = usableSources(configs);
  return {
    check: (rules) => (sourcesConfig === undefined ? [] : checkSources(rules, usable)),
    async each(rules, run) {
      const only = clients.get(defaultSource);
      if (sourcesConfig === undefined && only !== undefined) return [await run(rules, only)];
      const found = [];
      for (const { name } of usable) {
        const part = rulesOfSource(rules, name);
        if (part.custom.length + part.external.length === 0 && part.resource === undefined) continue;
        const client = clients.get(name);
        if (client === undefined)
          throw new CliError(
            `some rules have no source: set --against URL, or add a source ${defaultSource} to ${sourcesConfig}`,
          );
        found.push(await run(part, client));
      }
      return found;
    },
    close,
  };
}

async function readConfigs(file: string, seams: CliSeams): Promise<readonly SourceConfig[]> {
  const loaded = loadSources(await readInput(file, seams));
  if (loaded.ok) return loaded.config.sources;
  const [first] = loaded.problems;
  throw new CliError(first === undefined ? `${file} cannot be used` : formatProblem(file, first));
}

async function connect(config: SourceConfig, seams: CliSeams): Promise<PrometheusClient> {
  const { name, auth, extraLabels } = config;
  if (fetchedAuth(auth) !== undefined)
    throw new CliError(
      `source ${name}: auth of type ${auth.type} works in metrics-adapter only; use type: bearer with a tokenFile for this command`,
    );
  try {
    const { headers, tls } = await readSourceCredentials(config, (file) => readInput(file, seams));
    const client = createPrometheusClient({
      url: config.url,
      verb: config.verb,
      proxyUrl: config.proxyUrl,
      proxyEnv: seams.env,
      headers,
      tls,
      parameters: config.parameters,
      allowsPartial: config.allowsPartial,
      timeoutMs: config.queryTimeoutMs,
      maxResponseBytes: config.maxResponseBytes,
    });
    return extraLabels.length === 0 ? client : withExtraLabels(client, extraLabels, new Map());
  } catch (error) {
    throw new CliError(`source ${name}: ${messageOf(error)}`);
  }
}
