// Whether an answer is about what was requested: no backend answers with another metric, or with objects of another
// namespace.
import type { MetricTarget } from "../directory/metric-request.ts";
import type { BackendAnswer } from "./answer.ts";
import { parseBounded } from "./parse-bounded.ts";

interface Item {
  /** Of external metrics, and of v1beta1. */
  readonly metricName?: unknown;
  /** Of v1beta2. */
  readonly metric?: { readonly name?: unknown } | null;
  readonly describedObject?: {
    readonly kind?: unknown;
    readonly namespace?: unknown;
    readonly name?: unknown;
  } | null;
}

const kinds: Readonly<Record<MetricTarget["group"], string>> = {
  "custom.metrics.k8s.io": "MetricValueList",
  "external.metrics.k8s.io": "ExternalMetricValueList",
};

/**
 * @param target The kind is undefined where it is unknown.
 * @returns what is wrong with an answer; undefined for one that can be handed on. Errors are handed on as they are. The caller was
 * authorized for one namespace, and autoscalers do not look which one a value is of. External values name no objects.
 */
export function objectsProblem(
  target: MetricTarget & { readonly kind: string | undefined },
  { code, body }: BackendAnswer,
): string | undefined {
  if (code >= 400) return undefined;
  if (code !== 200) return `it returned ${code}`;
  const items = itemsOf(kinds[target.group], body);
  if (items === undefined) return `its response is not of kind ${kinds[target.group]}`;
  for (const item of items) {
    const other = otherIn((item as Item | null) ?? {}, target);
    if (other !== undefined) return `its response has ${other} than requested`;
  }
  return undefined;
}

function otherIn(
  { describedObject, metricName, metric }: Item,
  target: Parameters<typeof objectsProblem>[0],
): string | undefined {
  const { kind, namespace, name } = describedObject ?? {};
  const found = metricName ?? metric?.name;
  // Names of external metrics may come in other letters, as autoscalers send them.
  if (!isOf(typeof found === "string" ? found.toLowerCase() : found, target.metric.toLowerCase()))
    return "another metric";
  if (target.kind !== undefined && !isOf(kind, target.kind)) return "an object of another kind";
  if (!isOf(namespace, target.namespace)) return "an object of another namespace";
  return target.name === "*" || isOf(name, target.name) ? undefined : "another object";
}

/** What is left out says nothing. */
function isOf(found: unknown, wanted: string | undefined): boolean {
  return found === undefined || found === "" || found === wanted;
}

/** The whole answer is at most as long as the limit of its backend. */
function itemsOf(kind: string, body: Buffer): readonly unknown[] | undefined {
  const list = parseBounded(body.toString("utf8")) as
    | { readonly kind?: unknown; readonly items?: unknown }
    | null
    | undefined;
  return list?.kind === kind && Array.isArray(list.items) ? (list.items as unknown[]) : undefined;
}
