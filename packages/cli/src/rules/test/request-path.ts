// Reads what a test gets: a path of the metrics APIs, from behind their version on.
import { parseSelector, SelectorError } from "@plimsoll/core/selector";
import { type MetricRequest, matchersOf } from "@plimsoll/rules";

/** The request of a path, or why it is none. */
export type ReadPath =
  | { readonly ok: true; readonly request: MetricRequest }
  | { readonly ok: false; readonly message: string };

const forms =
  "write namespaces/NAMESPACE/pods/NAME/METRIC, with * for all, nodes/NAME/METRIC, namespaces/NAMESPACE/metrics/METRIC, " +
  "or namespaces/NAMESPACE/METRIC for an external metric";

/** As in `kubectl get --raw`, with or without `/apis/custom.metrics.k8s.io/v1beta2/` in front. */
export function readPath(text: string): ReadPath {
  const [path = "", query = ""] = text.trim().split("?", 2);
  const segments = path.replace(/^\/?apis\/(?:custom|external)\.metrics\.k8s\.io\/v\w+\//, "").split("/");
  const target = targetOf(segments.filter((segment) => segment !== ""));
  if (target === undefined) return { ok: false, message: forms };
  const selector = selectorOf(query, target.resource === undefined ? "labelSelector" : "metricLabelSelector");
  return typeof selector === "string"
    ? { ok: false, message: selector }
    : { ok: true, request: { ...target, selector } };
}

type Target = Omit<MetricRequest, "selector">;

function targetOf(segments: readonly string[]): Target | undefined {
  const [first = "", namespace = "", resource = "", name = "", metric = ""] = segments;
  const inNamespace = first === "namespaces";
  if (inNamespace && segments.length === 5) return { namespace, resource, name, metric };
  if (inNamespace && segments.length === 4 && resource === "metrics") {
    return { namespace: undefined, resource: "namespaces", name: namespace, metric: name };
  }
  if (segments.length !== 3) return undefined;
  return inNamespace
    ? { namespace, resource: undefined, name: "*", metric: resource }
    : { namespace: undefined, resource: first, name: namespace, metric: resource };
}

/** The matchers of the one parameter that there is, or why there are none. */
function selectorOf(query: string, allowed: string): MetricRequest["selector"] | string {
  const parameters = new URLSearchParams(query);
  const other = [...parameters.keys()].find((key) => key !== allowed);
  if (other !== undefined) return `the parameter ${other} is not taken here, only ${allowed}`;
  try {
    const matchers = matchersOf(parseSelector(parameters.get(allowed) ?? ""));
    return matchers.ok ? matchers.matchers : matchers.message;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return `${allowed}: ${error.message}`;
  }
}
