// MetricRules of one namespace out of the rules of prometheus-adapter, as far as they can say the same.
import { formatMatcher, selectorFacts } from "@plimsoll/prometheus";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import {
  type ClusterResource,
  type CompiledRule,
  createBuiltinMapper,
  createResourceLabels,
  groupResourceOf,
  loadRules,
  type ResourceLabels,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { Document } from "yaml";
import type { ConvertProblem } from "../../manifests/problem.ts";
import { type MetricRuleParts, type MetricRuleSettings, metricRule } from "./metric-rule.ts";

/** What became of a rules file. */
export interface ConvertedFile {
  readonly documents: readonly Document[];
  /** What a MetricRule cannot say: it stays in the file. */
  readonly notes: readonly ConvertProblem[];
  readonly problems: readonly ConvertProblem[];
}

/** Rules files have no kind. */
export function isRulesFile(text: string): boolean {
  return /^"?(?:rules|externalRules|resourceRules)"?\s*:/m.test(text) && !/^\s*"?kind"?\s*:/m.test(text);
}

type Settings = MetricRuleSettings & { readonly namespace: string };

/** A rule of a fixed series becomes one MetricRule for each resource that it says; all else is named. */
export async function metricRulesOfFile(
  text: string,
  file: string,
  settings: Settings,
): Promise<ConvertedFile> {
  const loaded = loadRules(text, file, { promqlProblem, selectorProblem });
  if (!loaded.ok) {
    const remedy = "see all of it with plimsoll rules check";
    const problems = loaded.problems.map(({ path, message, line, column }) => {
      return { file, document: 1, line, column, path, message, remedy };
    });
    return { documents: [], notes: [], problems };
  }
  const documents: Document[] = [];
  const notes: ConvertProblem[] = [];
  const { custom, external, resource } = loaded.rules;
  const mapper = createBuiltinMapper(loaded.rules);
  const remedy = "keep it in the rules file, which serves everything that MetricRules don't define";
  const note = (path: string, message: string): void =>
    void notes.push({ file, document: 1, line: 1, column: 1, path, message, remedy });
  for (const rule of [...custom, ...external]) {
    for (const part of await partsOf(rule, { settings, mapper })) {
      if (typeof part === "string") {
        note(rule.path, part);
        continue;
      }
      const written = metricRule(part, settings);
      if (written.ok) documents.push(written.document);
      else note(rule.path, `has a query that MetricRules can't have: ${written.message}`);
    }
  }
  if (resource !== undefined) note("resourceRules", "provides usage of pods and nodes, not a named metric");
  return { documents, notes, problems: [] };
}

interface Context {
  readonly settings: Settings;
  readonly mapper: ResourceMapper;
}

/** What becomes a MetricRule each, and in words what does not. */
async function partsOf(rule: CompiledRule, context: Context): Promise<readonly (MetricRuleParts | string)[]> {
  const { metricsQuery: template, seriesQuery = "", live } = rule;
  if (live !== undefined) return ["has live, with pods that may be of another namespace"];
  const series = selectorFacts(seriesQuery).metricName;
  if (template === undefined) return ["has no query, so its metrics can't be read"];
  if (template.fields.used.has("LabelValuesByName"))
    return ["has a query with LabelValuesByName, which depends on the requested objects"];
  if (!rule.namespaced) return ["is not namespaced, but a MetricRule only reads series of its own namespace"];
  if (series === undefined)
    return ["finds its series by a pattern, but a MetricRule has one query: create one for each series"];
  const metric = rule.accepts(series) ? rule.metricName(series) : undefined;
  if (metric === undefined) return [`has no metric for the series ${series}`];
  const labels = createResourceLabels(rule.resources, context.mapper);
  const problem = await namespaceProblem(labels, context);
  if (problem !== undefined) return [problem];
  const { namespace, namespaceLabel } = context.settings;
  const query = (groupBy: readonly string[]): string =>
    template.render({
      series,
      labelMatchers: formatMatcher({ label: namespaceLabel, operator: "=", value: namespace }),
      labelValuesByName: new Map(),
      groupBy,
    });
  const shared = { namespace, metric, source: rule.source };
  if (rule.kind === "external") return [{ ...shared, type: "External", query: query([]) }];
  return await customParts(rule, context, { shared, labels, query });
}

async function customParts(
  { resources }: CompiledRule,
  { mapper }: Context,
  {
    shared,
    labels,
    query,
  }: {
    readonly shared: Pick<MetricRuleParts, "namespace" | "metric" | "source">;
    readonly labels: ResourceLabels;
    readonly query: (groupBy: readonly string[]) => string;
  },
): Promise<readonly (MetricRuleParts | string)[]> {
  const parts: (MetricRuleParts | string)[] = [];
  for (const info of await resourcesOf(resources.overrides.map(groupResourceOf), mapper)) {
    const label = await labels.labelFor(info);
    const name = groupResourceOf(info);
    if (label === undefined || name === "namespaces") continue;
    if (name === "pods") parts.push({ ...shared, type: "Pods", podLabel: label, query: query([label]) });
    else if (!info.namespaced)
      parts.push(`has metrics of ${name}, which have no namespace: MetricRules can't have them`);
    else parts.push({ ...shared, type: "Object", object: { resource: name, label }, query: query([label]) });
  }
  if (resources.template !== undefined)
    parts.push(
      "maps resources with a template: only pods are converted; create a MetricRule of type Object for each other resource in use",
    );
  return parts;
}

/** Pods, and those of the overrides. */
async function resourcesOf(
  overrides: readonly string[],
  mapper: ResourceMapper,
): Promise<readonly ClusterResource[]> {
  const found = new Map<string, ClusterResource>();
  for (const name of ["pods", ...overrides]) {
    const info = await mapper.byResource(name);
    if (info !== undefined) found.set(groupResourceOf(info), info);
  }
  return [...found.values()];
}

async function namespaceProblem(
  labels: ResourceLabels,
  { settings: { namespaceLabel }, mapper }: Context,
): Promise<string | undefined> {
  const info = await mapper.byResource("namespaces");
  const label = info === undefined ? undefined : await labels.labelFor(info);
  if (label === namespaceLabel) return undefined;
  if (label === undefined) return "has no namespace label, which confines a MetricRule";
  return `is confined by the label ${label}, and MetricRules by ${namespaceLabel}: start the adapter with --metric-rule-namespace-label=${label}, and give --namespace-label here`;
}
