// Whether an answer is about what was requested: no backend answers with objects of another namespace.
import type { MetricTarget } from "../directory/metric-request.ts";
import type { BackendAnswer } from "./answer.ts";
import { parseBounded } from "./parse-bounded.ts";

interface Item {
  readonly describedObject?: { readonly namespace?: unknown; readonly name?: unknown } | null;
}

const kinds: Readonly<Record<MetricTarget["group"], string>> = {
  "custom.metrics.k8s.io": "MetricValueList",
  "external.metrics.k8s.io": "ExternalMetricValueList",
};

/**
 * What is wrong with an answer; undefined for one that can be handed on. Errors are handed on as they are. The caller was
 * authorized for one namespace, and autoscalers do not look which one a value is of. External values name no objects.
 */
export function objectsProblem(target: MetricTarget, { code, body }: BackendAnswer): string | undefined {
  if (code >= 400) return undefined;
  if (code !== 200) return `it answered ${code}`;
  const items = itemsOf(kinds[target.group], body);
  if (items === undefined) return `its answer is no ${kinds[target.group]}`;
  for (const item of items) {
    const { namespace, name } = (item as Item | null)?.describedObject ?? {};
    if (!isOf(namespace, target.namespace))
      return "its answer has an object of another namespace than requested";
    if (target.name !== "*" && !isOf(name, target.name))
      return "its answer has another object than requested";
  }
  return undefined;
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
