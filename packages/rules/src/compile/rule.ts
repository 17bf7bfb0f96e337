import type { Place, RulesDocument } from "../document/document.ts";
import { parseExpansion, referencedGroup } from "../naming/expand.ts";
import {
  createMetricName,
  defaultExpansion,
  type MetricName,
  type PossibleNames,
  possibleNames,
} from "../naming/metric-name.ts";
import { compilePattern, type Pattern, PatternError } from "../naming/pattern.ts";
import type { CompiledResources, CompiledRule } from "./compiled-rules.ts";
import { readRuleLive } from "./live.ts";
import { readQuery } from "./query.ts";
import { readResources } from "./resources.ts";
import { warnAboutQuery, warnIfAllLeftOut, warnIfTemplate } from "./traps.ts";

/** Reads one discovery rule of rules or externalRules. */
export function readRule(document: RulesDocument, place: Place, kind: "custom" | "external"): CompiledRule {
  const fields = document.fields(place, [
    "seriesQuery",
    "seriesFilters",
    "resources",
    "name",
    "metricsQuery",
    "source",
    "live",
  ]);
  const seriesQuery = document.text(fields.seriesQuery).trim();
  if (seriesQuery === "")
    document.warn(
      place,
      "seriesQuery is missing: the rule finds nothing; add a selector, such as http_requests_total",
    );
  const selector = seriesQuery === "" ? undefined : document.syntax.selectorProblem?.(seriesQuery);
  if (selector !== undefined)
    document.warn(fields.seriesQuery, `seriesQuery selects no series: ${selector}; the rule finds nothing`);
  const filters = document.items(fields.seriesFilters).map((at) => readFilter(document, at));
  const name = readName(document, fields.name);
  const { resources, namespaced, namespacedPlace } = readResources(document, fields.resources);
  warnAboutResources(document, place, { kind, resources, namespaced, namespacedPlace });
  const metricsQuery = readQuery(document, fields.metricsQuery, place);
  const texts = { seriesQuery, metricsQuery: fields.metricsQuery, query: metricsQuery, resources };
  warnAboutQuery(document, texts, { kind, isConfined: kind === "custom" || namespaced !== false });
  const live = readRuleLive(document, fields, metricsQuery, resources.template !== undefined);
  const accepts = (series: string): boolean =>
    filters.every((filter) => filter.accepts(series)) && (name.filter?.test(series) ?? true);
  warnIfAllLeftOut(document, name.filter === undefined ? fields.seriesFilters : fields.name, {
    seriesQuery,
    accepts,
  });
  return {
    path: place.path,
    kind,
    source: live === undefined ? document.source(fields.source, kind) : undefined,
    discoveryKey: JSON.stringify([
      live === undefined ? kind : `live ${kind}`,
      seriesQuery,
      filters.map(({ text }) => text),
      name.text,
      resources.overrides,
      resources.template?.text,
      namespaced,
    ]),
    seriesQuery: seriesQuery === "" ? undefined : seriesQuery,
    accepts,
    metricName: name.metricName,
    possibleNames: seriesQuery === "" ? noNames : name.possibleNames({ query: seriesQuery, accepts }),
    resources,
    namespaced: kind === "custom" || namespaced !== false,
    metricsQuery,
    live,
  };
}

interface Filter {
  /** As written in the file. */
  readonly text: readonly string[];
  readonly accepts: (series: string) => boolean;
}

function readFilter(document: RulesDocument, place: Place): Filter {
  const fields = document.fields(place, ["is", "isNot"]);
  const is = document.text(fields.is);
  const isNot = document.text(fields.isNot);
  if ((is === "") === (isNot === "")) {
    document.problem(
      place,
      is === "" ? "the filter has neither is nor isNot" : "the filter has both is and isNot",
    );
    return { text: [], accepts: () => true };
  }
  const pattern = readPattern(document, is === "" ? fields.isNot : fields.is);
  const accepts = (series: string): boolean =>
    pattern === undefined || pattern.test(series) === (isNot === "");
  return { text: [is, isNot], accepts };
}

const noNames: PossibleNames = { only: undefined, has: () => false, isAny: false };

interface ReadName {
  /** matches and as, as written in the file. */
  readonly text: readonly string[];
  readonly possibleNames: (series: Parameters<typeof possibleNames>[2]) => PossibleNames;
  readonly metricName: MetricName;
  readonly filter: Pattern | undefined;
}

function readName(document: RulesDocument, place: Place): ReadName {
  const fields = document.fields(place, ["matches", "as"]);
  const matches = document.text(fields.matches);
  const text = [matches, document.text(fields.as)];
  warnIfTemplate(document, fields.as);
  const pattern = matches === "" ? compilePattern(".*") : readPattern(document, fields.matches);
  const unnamed = { text, metricName: () => undefined, possibleNames: () => noNames };
  if (pattern === undefined) return { ...unnamed, filter: undefined };
  const filter = matches === "" ? undefined : pattern;
  const as = document.text(fields.as) || defaultExpansion(pattern.groupCount);
  if (as === undefined) {
    document.problem(
      fields.matches,
      `matches has ${pattern.groupCount} groups, so set name.as to name the metric`,
    );
    return { ...unnamed, filter };
  }
  for (const part of parseExpansion(as)) {
    if (part.kind !== "group" || referencedGroup(pattern, part.name) !== undefined) continue;
    document.warn(
      fields.as,
      `matches has no group ${JSON.stringify(part.name)}, so it is replaced by nothing${hint(part.name)}`,
    );
  }
  return {
    text,
    metricName: createMetricName(pattern, as),
    possibleNames: (series) => possibleNames(pattern, as, series),
    filter,
  };
}

/** `$1_total` is a common slip for `${1}_total`. */
function hint(name: string): string {
  const [, digits, rest] = /^(\d+)(\D.*)$/.exec(name) ?? [];
  return digits === undefined ? "" : `; \${${digits}}${rest ?? ""} was probably meant`;
}

function readPattern(document: RulesDocument, place: Place): Pattern | undefined {
  try {
    return compilePattern(document.text(place));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    document.problem(place, `not a regular expression of RE2: ${error.message}`);
    return undefined;
  }
}

const mapNamespace = "add the override namespace: {resource: namespace}";

interface RuleResources {
  readonly kind: "custom" | "external";
  readonly resources: CompiledResources;
  readonly namespaced: boolean | undefined;
  readonly namespacedPlace: Place;
}

function warnAboutResources(document: RulesDocument, place: Place, rule: RuleResources): void {
  const { overrides, template } = rule.resources;
  const namesNamespace =
    template !== undefined ||
    overrides.some(({ group, resource }) => group === "" && /^namespaces?$/i.test(resource));
  if (rule.kind === "custom") {
    if (template === undefined && overrides.length === 0) {
      document.warn(
        place,
        "resources is missing: the rule's series belong to no object and are not served; add overrides, such as namespace: {resource: namespace}",
      );
    } else if (!namesNamespace) {
      document.warn(
        place,
        `no label is mapped to namespaces: requests within a namespace fail; ${mapNamespace}`,
      );
    }
    if (rule.namespaced === false)
      document.warn(rule.namespacedPlace, "namespaced: false has no effect on custom metrics: remove it");
  } else if (rule.namespaced !== false && !namesNamespace) {
    document.warn(
      place,
      `no label is mapped to namespaces, but the rule is namespaced: every request for it fails; ${mapNamespace}, or set namespaced: false`,
    );
  }
}
