// The adapter's rules, as the cluster has them, and what they find in a Prometheus.
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import type { AdapterRule, Reading } from "@plimsoll/doctor";
import { at, backendOf, known, labelsOf, listOf, nameOf, textsOf, unknown } from "@plimsoll/doctor";
import { resourcePath } from "@plimsoll/kube";
import { type PrometheusClient, rangesOf } from "@plimsoll/prometheus";
import { recipesOf } from "@plimsoll/recipes";
import {
  type CompiledRule,
  type CompiledRules,
  inspectRules,
  loadRules,
  type Problem,
  type RuleInspection,
  withoutShortNames,
} from "@plimsoll/rules";
import type { Cluster } from "../../../cluster/cluster.ts";
import { nodeNames, prometheusClient, prometheusHeaders } from "../../../cluster/connect.ts";
import { type SeriesFacts, seriesFacts, silenceMs } from "../../../cluster/series-facts.ts";
import { openServers, type RuleServers } from "../../../cluster/sources.ts";
import { syntax } from "../../../input/read-rules.ts";
import type { CliSeams } from "../../../seams.ts";
import { inFileOrder } from "../../rules/check.ts";
import { recipeWarnings } from "../../rules/recipes.ts";
import { unreadable } from "./lists.ts";

/** Of series that count as existing. */
const maxAgeMs = 600_000;

/** Where Prometheus is, and how it is reached. */
export interface PrometheusPlace {
  /** Undefined: nothing is read. */
  readonly prometheus?: string;
  readonly prometheusTokenFile?: string;
  readonly prometheusCaFile?: string;
  readonly prometheusHeader?: readonly string[];
  readonly sourcesConfig?: string;
}

/** @throws CliError where a file cannot be read. */
export async function readAdapterRules(
  cluster: Cluster,
  place: PrometheusPlace,
  seams: CliSeams,
): Promise<Reading<readonly AdapterRule[]>> {
  const { prometheus: url, prometheusTokenFile: tokenFile, prometheusCaFile: caFile } = place;
  const { sourcesConfig } = place;
  if (url === undefined && sourcesConfig === undefined) return unknown("needs --prometheus");
  const headers = prometheusHeaders(place);
  const open =
    url === undefined ? undefined : () => prometheusClient(url, { tokenFile, caFile, headers, seams });
  const servers = await openServers({ sourcesConfig, open, seams });
  try {
    const config = await readConfig(cluster);
    if (!config.ok) return config;
    return await inspect(config.value, { cluster, servers, seams });
  } catch (error) {
    seams.signal.throwIfAborted();
    return unreadable(cluster, error, "read the adapter's rules");
  } finally {
    await servers.close();
  }
}

interface Sources {
  readonly cluster: Cluster;
  readonly servers: RuleServers;
  readonly seams: Pick<CliSeams, "nowMs" | "signal">;
}

async function inspect(
  text: string,
  { cluster, servers, seams }: Sources,
): Promise<Reading<readonly AdapterRule[]>> {
  const loaded = loadRules(text, "config.yaml", syntax);
  if (!loaded.ok) return unknown(invalidRules);
  const { rules } = loaded;
  const [problem] = servers.check(rules);
  if (problem !== undefined) return unknown(`the adapter's rules: ${problem.path}: ${problem.message}`);
  const options = {
    mapper: withoutShortNames(cluster.mapper),
    nowMs: seams.nowMs(),
    maxAgeMs,
    signal: seams.signal,
    nodes: await nodeNames(cluster.client),
  };
  const facts = new Map<string, FoundFacts>();
  const parts = await servers.each(rules, async (part, prometheus) => {
    const found = await inspectRules({ ...options, rules: part, prometheus });
    for (const inspection of found) {
      const { seriesQuery = "" } =
        part.custom.find(isAt(inspection)) ?? part.external.find(isAt(inspection)) ?? {};
      facts.set(inspection.path, await factsOf(inspection, seriesQuery, { ...options, prometheus }));
    }
    return found;
  });
  const inspected = inFileOrder(rules, parts.flat());
  const compiled = [...rules.custom, ...rules.external];
  // PL-026 looks at ranges.
  const withoutRanges = new Map([...facts].map(([path, one]) => [path, { ...one, rangesMs: [] }]));
  const warnings = [...loaded.warnings, ...recipeWarnings(text, rules, withoutRanges)];
  return known(
    inspected.map((inspection) => {
      const rule = compiled.find(isAt(inspection));
      return rule === undefined
        ? resourceRule(inspection)
        : adapterRule(rule, inspection, { inspected, warnings, facts: facts.get(inspection.path) });
    }),
  );
}

const isAt =
  ({ path }: Pick<RuleInspection, "path">) =>
  (rule: Pick<CompiledRule, "path">) =>
    rule.path === path;

interface FoundFacts extends SeriesFacts {
  readonly silentMs: number | undefined;
}

async function factsOf(
  { metrics: [first], problem }: RuleInspection,
  seriesQuery: string,
  asked: { readonly prometheus: PrometheusClient; readonly signal: AbortSignal; readonly nowMs: number },
): Promise<FoundFacts> {
  if (first !== undefined) return { ...(await seriesFacts(first.series, asked)), silentMs: undefined };
  // To look back costs more: only where it may be that a gateway has ended.
  const isGateway = problem === undefined && recipesOf(seriesQuery).some(({ kind }) => kind === "gateway");
  const silentMs = isGateway ? await silenceMs(seriesQuery, asked) : undefined;
  return { scrapeIntervalMs: undefined, labels: undefined, silentMs };
}

function adapterRule(
  rule: CompiledRule,
  inspection: RuleInspection,
  {
    inspected,
    warnings,
    facts,
  }: {
    readonly inspected: readonly RuleInspection[];
    readonly warnings: readonly Problem[];
    readonly facts: FoundFacts | undefined;
  },
): AdapterRule {
  const { path, metrics, problem, sample } = inspection;
  return {
    path,
    seriesQuery: rule.seriesQuery ?? "",
    metrics: [...new Set(metrics.map(({ metric }) => metric))],
    listed: metrics.map(({ metric, resource }) =>
      resource === undefined ? metric : `${resource}/${metric}`,
    ),
    shadowed: shadowedBy(inspection, inspected),
    problem,
    rangesMs: rangesOf(sample?.promql ?? "").filter(Number.isFinite),
    scrapeIntervalMs: facts?.scrapeIntervalMs,
    silentMs: facts?.silentMs,
    labels: facts?.labels ?? [],
    warnings: warnings.filter((warning) => warning.path.startsWith(path)).map(({ message }) => message),
    ignoresSelector: ignoresSelector(rule),
    isNamespaced: rule.namespaced,
    lacksLabel: sample?.problem?.includes("end the query with by") === true,
  };
}

function ignoresSelector({ metricsQuery }: CompiledRule): boolean {
  const used = metricsQuery?.fields.used;
  return used !== undefined && !used.has("LabelMatchers") && !used.has("LabelValuesByName");
}

/** Resource rules give no metrics of a name; what is said of them is said here. */
function resourceRule({ path, warnings, problem }: RuleInspection): AdapterRule {
  const none = { metrics: [], listed: [], shadowed: [], rangesMs: [], labels: [] };
  return {
    path,
    seriesQuery: "",
    ...none,
    problem,
    scrapeIntervalMs: undefined,
    silentMs: undefined,
    warnings,
    ignoresSelector: false,
    isNamespaced: false,
    lacksLabel: false,
  };
}

/** Metrics of a rule that a later rule of its list gives for the same resource: the adapter serves that one. */
function shadowedBy(
  { path, metrics }: RuleInspection,
  inspected: readonly RuleInspection[],
): AdapterRule["shadowed"] {
  const kind = path.split("[")[0];
  const later = inspected.slice(inspected.findIndex((one) => one.path === path) + 1);
  const found = new Map<string, string>();
  for (const { metric, resource } of metrics) {
    const by = later.findLast(
      (one) =>
        one.path.split("[")[0] === kind &&
        one.metrics.some((other) => other.metric === metric && other.resource === resource),
    );
    if (by !== undefined) found.set(metric, by.path);
  }
  return [...found].map(([metric, by]) => ({ metric, by }));
}

/** The rules alone, without a Prometheus. */
export async function readCompiledRules(cluster: Cluster): Promise<Reading<CompiledRules>> {
  try {
    const config = await readConfig(cluster);
    if (!config.ok) return config;
    const loaded = loadRules(config.value, "config.yaml");
    return loaded.ok ? known(loaded.rules) : unknown(invalidRules);
  } catch (error) {
    return unreadable(cluster, error, "read the adapter's rules");
  }
}

const invalidRules = "the adapter's rules are invalid: see plimsoll rules check";

/** The text of the ConfigMap that the pods behind the APIService mount as --config. */
async function readConfig(cluster: Cluster): Promise<Reading<string>> {
  const { client } = cluster;
  const backends = await Promise.all(adapterGroups.map((group) => backendOfGroup(cluster, group)));
  for (const backend of new Set(backends)) {
    const [namespace, name] = backend.split("/");
    if (namespace === undefined || name === undefined) continue;
    const pods = await podsBehind(cluster, namespace, name);
    const mount = pods.map(configMount).find((one) => one !== undefined);
    if (mount === undefined) continue;
    const path = resourcePath(
      { group: "", version: "v1", resource: "configmaps" },
      namespace,
      mount.configMap,
    );
    const text = textOf(at(await client.request<Fields>({ path }), "data", mount.key));
    if (text !== "") return known(text);
  }
  return unknown(
    "no adapter with rules in a ConfigMap serves custom.metrics.k8s.io or external.metrics.k8s.io",
  );
}

const adapterGroups = ["custom.metrics.k8s.io", "external.metrics.k8s.io"] as const;

/** "NAMESPACE/NAME" of the Service that serves a group; "" where none does. */
async function backendOfGroup({ client, mapper }: Cluster, group: string): Promise<string> {
  const [version] = await mapper.groupVersions(group);
  if (version === undefined) return "";
  const path = `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`;
  return backendOf(await client.request<Fields>({ path }));
}

/** Of a Service without a selector, such as one for an adapter outside of the cluster, those that are named after it. */
async function podsBehind({ client }: Cluster, namespace: string, name: string): Promise<readonly Fields[]> {
  const core = { group: "", version: "v1" };
  const service = await client.request<Fields>({
    path: resourcePath({ ...core, resource: "services" }, namespace, name),
  });
  const labelSelector = Object.entries(labelsOf(at(service, "spec", "selector")))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const isSelected = labelSelector !== "";
  const path = resourcePath({ ...core, resource: "pods" }, namespace);
  const query = isSelected ? { labelSelector, limit: 1 } : { limit: 500 };
  const pods = listOf((await client.request<Fields>({ path, query }))["items"]);
  return isSelected ? pods : pods.filter((pod) => nameOf(pod).startsWith(`${name}-`));
}

/** Which ConfigMap and key the argument --config leads to. */
function configMount(pod: Fields): { readonly configMap: string; readonly key: string } | undefined {
  for (const container of listOf(at(pod, "spec", "containers"))) {
    const file = configFile([...textsOf(container["command"]), ...textsOf(container["args"])]);
    if (file === undefined) continue;
    const mount = listOf(container["volumeMounts"]).find(({ mountPath }) =>
      file.startsWith(`${textOf(mountPath)}/`),
    );
    const volume = listOf(at(pod, "spec", "volumes")).find(({ name }) => name === mount?.["name"]);
    const configMap = textOf(at(volume, "configMap", "name"));
    if (mount !== undefined && configMap !== "")
      return { configMap, key: file.slice(textOf(mount["mountPath"]).length + 1) };
  }
  return undefined;
}

function configFile(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, inline] = /^--?config=(.+)$/.exec(arg) ?? [];
    if (inline !== undefined) return inline;
    if (arg === "--config") return args[index + 1];
  }
  return undefined;
}
