// Plans the query for a request of metrics.
import {
  formatMatchers,
  type Matcher,
  oneOf,
  type QueryTemplate,
  rangesOf,
  TemplateError,
} from "@plimsoll/prometheus";
import { admits, type SelectorMatcher } from "./selector-matchers.ts";

/** What requests for different objects have in common. */
export interface QueryScope {
  readonly template: QueryTemplate;
  /** Empty for resource rules. */
  readonly series: string;
  /** What the request says of the metric's own labels. */
  readonly selector: readonly SelectorMatcher[];
  /** Confines the query; comes after the selector and cannot be widened by it. */
  readonly namespace: { readonly label: string; readonly name: string } | undefined;
  /** The label that holds an object's name; undefined where the request is about no objects. */
  readonly objectLabel: string | undefined;
  readonly groupBy: readonly string[];
}

/** names: undefined for a request that is about no objects, "any" for one about all that there are. */
export type QueryRequest = QueryScope & { readonly names: readonly string[] | "any" | undefined };

/** A query that is ready to be run. */
export interface QueryPlan {
  readonly promql: string;
  /** How far the query looks back, where it has exactly one range. */
  readonly windowSeconds: number | undefined;
}

/** A query, or why a rule gives none for the request. */
export type Planned =
  | { readonly ok: true; readonly plan: QueryPlan }
  /** contradiction: the caller's selector rules out the namespace that it may see. render: the rule is at fault. */
  | { readonly ok: false; readonly kind: "contradiction" | "render"; readonly message: string };

/**
 * The query for a request. Matchers come in a fixed order: selector, namespace, objects.
 * @upstream pkg/naming/metrics_query.go#Build
 */
export function planQuery(request: QueryRequest): Planned {
  const { selector, namespace, objectLabel, names } = request;
  const matchers: Matcher[] = selector.map(({ matcher }) => matcher);
  const valuesByName = new Map<string, string>();
  for (const { matcher, values } of selector) valuesByName.set(matcher.label, alternatives(values));
  if (namespace !== undefined) {
    const opposed = selector.find(
      (part) => part.matcher.label === namespace.label && !admits(part, namespace.name),
    );
    if (opposed !== undefined) {
      const message = `the metric selector on ${namespace.label} excludes the request's namespace ${namespace.name}`;
      return { ok: false, kind: "contradiction", message };
    }
    matchers.push({ label: namespace.label, operator: "=", value: namespace.name });
    valuesByName.set(namespace.label, namespace.name);
  }
  if (objectLabel !== undefined && names === "any") {
    matchers.push({ label: objectLabel, operator: "!=", value: "" });
  } else if (objectLabel !== undefined && names !== "any" && names !== undefined) {
    const sorted = names.toSorted();
    matchers.push(oneOf(objectLabel, sorted));
    valuesByName.set(objectLabel, alternatives(sorted));
  }
  try {
    const promql = request.template.render({
      series: request.series,
      labelMatchers: formatMatchers(matchers),
      labelValuesByName: valuesByName,
      groupBy: request.groupBy,
    });
    if (promql === "")
      return { ok: false, kind: "render", message: "the rule's query is empty for this request" };
    return { ok: true, plan: { promql, windowSeconds: windowOf(promql) } };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { ok: false, kind: "render", message: `the rule's query cannot be rendered: ${error.message}` };
  }
}

/**
 * Values as a rule may put them between quotes of its own. Callers have checked that they hold nothing that ends
 * a string; only the dot means something to a regular expression, and `[.]` needs no escaping in any quotes. One
 * value stays as it is, for `label="…"`.
 */
function alternatives(values: readonly string[]): string {
  const [only] = values;
  if (only !== undefined && values.length === 1) return only;
  return values.map((value) => value.replaceAll(".", "[.]")).join("|");
}

function windowOf(promql: string): number | undefined {
  const [rangeMs, ...more] = rangesOf(promql);
  if (rangeMs === undefined || more.length > 0 || !(rangeMs >= 1000)) return undefined;
  return Math.round(rangeMs / 1000);
}
