// What a metric of a specification is about, in the units of a recording.
import type { MetricSpec } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { RecordedPod } from "../replay/recording.ts";

/** Where the values of a metric are from, and what is the same for two specifications. */
export interface MetricKey {
  readonly kind: "pods" | "cpu" | "memory" | "total";
  /** Of a metric that is not a resource; of a query its PromQL. */
  readonly name: string;
  /** Of a resource of one container. */
  readonly container: string | undefined;
}

export function metricKey({ type, pods, object, external, query, ...rest }: MetricSpec): MetricKey {
  const { resource, containerResource } = rest;
  // The name of a query is its position, which another query has in another specification.
  const name = query?.promql ?? (pods ?? object ?? external)?.metric.name ?? "";
  const container = containerResource?.container;
  if (type === "Pods") return { kind: "pods", name, container };
  if (type === "Object" || type === "External") return { kind: "total", name, container };
  const of = (resource ?? containerResource)?.name;
  return { kind: of === "cpu" ? "cpu" : "memory", name: of ?? "", container };
}

/** As flags name it: a query by its position, as everywhere. */
export function flagName({ query, pods, object, external }: MetricSpec): string {
  return (pods ?? object ?? external)?.metric.name ?? query?.promql ?? "";
}

/** As a message names it. */
export function metricText({ kind, name, container }: MetricKey): string {
  if (kind !== "cpu" && kind !== "memory") return name;
  return container === undefined ? name : `${name} of ${container}`;
}

/** What a pod may have of it before the autoscaler adds pods; undefined where that is not an amount of one pod. */
export function perPodTarget(spec: MetricSpec, requested: number | undefined): number | undefined {
  const { target } =
    spec.resource ?? spec.containerResource ?? spec.pods ?? spec.object ?? spec.external ?? {};
  if (target?.type === "AverageValue" && target.averageValue !== undefined)
    return approximateFloat(parseQuantity(target.averageValue));
  if (target?.type !== "Utilization" || target.averageUtilization === undefined) return undefined;
  return requested === undefined ? undefined : (target.averageUtilization / 100) * requested;
}

/** What pods ask for of a resource, of all containers together or of one: that of the newest that says so. */
export function requestedOf(
  pods: readonly RecordedPod[],
  resource: string,
  container?: string,
): number | undefined {
  const newest = pods.findLast(({ requests }) => amountOf(requests, resource, container) !== undefined);
  return newest === undefined ? undefined : amountOf(newest.requests, resource, container);
}

function amountOf(
  requests: RecordedPod["requests"],
  resource: string,
  container: string | undefined,
): number | undefined {
  const amounts = Object.entries(requests)
    .filter(([name]) => container === undefined || name === container)
    .flatMap(([, own]) => own[resource] ?? [])
    .map((text) => approximateFloat(parseQuantity(text)));
  return amounts.length === 0 ? undefined : amounts.reduce((sum, one) => sum + one, 0);
}
