// What a request to a federated group is about.
import type { FederatedGroup } from "../config/federation-config.ts";

/** A metric, and of what. */
export interface MetricTarget {
  readonly group: FederatedGroup;
  /** Undefined: of objects that have none. */
  readonly namespace: string | undefined;
  /** Such as pods or deployments.apps; undefined for external metrics. */
  readonly resource: string | undefined;
  /** Of the object; "*" for all that the selector matches; undefined for external metrics. */
  readonly name: string | undefined;
  readonly metric: string;
}

/** As discovery lists it. */
export function listedName({ resource, metric }: Pick<MetricTarget, "resource" | "metric">): string {
  return resource === undefined ? metric : `${resource}/${metric}`;
}

/** No name of an API is longer, and patterns are matched before it is known who asks. */
const maxPartLength = 1_024;

/** Reads what lies behind the version in the path. Undefined: no path of a metric. */
export function targetOf(group: FederatedGroup, segments: readonly string[]): MetricTarget | undefined {
  if (segments.some((part) => part === "" || part.length > maxPartLength)) return undefined;
  return group === "external.metrics.k8s.io"
    ? externalTarget(group, segments)
    : customTarget(group, segments);
}

function externalTarget(group: FederatedGroup, segments: readonly string[]): MetricTarget | undefined {
  const [prefix, namespace, metric = ""] = segments;
  if (prefix !== "namespaces" || segments.length !== 3) return undefined;
  return { group, namespace, resource: undefined, name: undefined, metric };
}

function customTarget(group: FederatedGroup, segments: readonly string[]): MetricTarget | undefined {
  const inNamespace = segments[0] === "namespaces";
  const [resource = "", name = "", metric = ""] = inNamespace ? segments.slice(2) : segments;
  const namespace = inNamespace ? segments[1] : undefined;
  if (segments.length === (inNamespace ? 5 : 3) && resource !== "namespaces")
    return { group, namespace, resource, name, metric };
  if (!inNamespace || segments.length !== 4 || resource !== "metrics") return undefined;
  return { group, namespace, resource: "namespaces", name: namespace, metric: name };
}
