// What the recipe book says of the rules of a file: known mistakes with series that it knows.
import { DurationError, parsePrometheusDuration } from "@plimsoll/prometheus";
import { type KnownRule, mistakesOf } from "@plimsoll/recipes";
import { type CompiledRule, type CompiledRules, openDocument, type Problem } from "@plimsoll/rules";

/**
 * @param text of the file that the rules are from
 * @param facts what Prometheus says of a rule's series, by its path
 */
export function recipeWarnings(
  text: string,
  { custom, external }: CompiledRules,
  facts: ReadonlyMap<string, Partial<KnownRule>> = new Map(),
): readonly Problem[] {
  const document = openDocument(text);
  const lists = document.fields(document.root, ["rules", "externalRules", "resourceRules"]);
  const places = [...document.items(lists.rules), ...document.items(lists.externalRules)];
  for (const rule of [...custom, ...external]) {
    const place = places.find(({ path }) => path === rule.path);
    if (place === undefined) continue;
    const metricsQuery = rule.metricsQuery?.text ?? "";
    const mistakes = mistakesOf({
      seriesQuery: rule.seriesQuery ?? "",
      metricsQuery,
      namespaceLabel: namespaceLabelOf(rule),
      hasPods: hasPods(rule),
      rangesMs: rule.live === undefined ? rangesIn(metricsQuery) : [],
      ...facts.get(rule.path),
    });
    for (const mistake of mistakes) document.warn(place, mistake);
  }
  return document.warnings;
}

function namespaceLabelOf({ resources: { overrides, template } }: CompiledRule): string | undefined {
  const named = overrides.find(({ group, resource }) => group === "" && /^namespaces?$/i.test(resource));
  return named?.label ?? template?.render({ Group: "", Resource: "namespace" });
}

function hasPods({ seriesQuery = "", resources: { overrides, template } }: CompiledRule): boolean {
  const isMapped = overrides.some(({ group, resource }) => group === "" && /^pods?$/i.test(resource));
  return isMapped || (template !== undefined && /\bpod\b/.test(seriesQuery));
}

/** A template is no PromQL. */
function rangesIn(metricsQuery: string): readonly number[] {
  return [...metricsQuery.matchAll(/\[(\d\w*)(?::[^\]]*)?\]/g)].flatMap(([, range = ""]) => {
    try {
      return [parsePrometheusDuration(range)];
    } catch (error) {
      if (error instanceof DurationError) return [];
      throw error;
    }
  });
}
