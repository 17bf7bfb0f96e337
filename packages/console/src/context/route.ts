// The state of the page as the query of its address, and back.
import type { ObjectKey, Resource } from "@plimsoll/decisions";

export const views = ["fleet", "object", "trace", "what-if", "shadow", "findings"] as const;
export type View = (typeof views)[number];

/** What is shown. Everything that a reader can set is in `params`, by name. */
export interface Route {
  readonly view: View;
  readonly object: ObjectKey | undefined;
  readonly params: Readonly<Record<string, string>>;
}

/** The short names of the resources in an address, as kubectl has them. */
const shortNames: readonly (readonly [string, Resource])[] = [
  ["hpa", "horizontalpodautoscalers"],
  ["wla", "workloadautoscalers"],
];

const needsObject: ReadonlySet<View> = new Set<View>(["object", "trace", "what-if"]);

/** `search` is the query of an address, with or without its mark. What it does not name is the fleet. */
export function readRoute(search: string): Route {
  const { view: named, ns, hpa, wla, ...params } = Object.fromEntries(new URLSearchParams(search));
  const view = views.find((one) => one === named) ?? "fleet";
  const object = objectOf(ns, hpa, wla);
  if (!needsObject.has(view))
    return { view, object: undefined, params: ns === undefined ? params : { ns, ...params } };
  return object === undefined ? { view: "fleet", object: undefined, params: {} } : { view, object, params };
}

function objectOf(
  namespace: string | undefined,
  hpa: string | undefined,
  wla: string | undefined,
): ObjectKey | undefined {
  const name = hpa ?? wla;
  if (namespace === undefined || name === undefined || namespace === "" || name === "") return undefined;
  return {
    resource: hpa === undefined ? "workloadautoscalers" : "horizontalpodautoscalers",
    namespace,
    name,
  };
}

/** The address of a route: a query that leaves the path as it is. */
export function hrefOf({ view, object, params }: Route): string {
  const parameters = new URLSearchParams();
  if (view !== "fleet") parameters.set("view", view);
  if (object !== undefined) {
    parameters.set("ns", object.namespace);
    parameters.set(shortNameOf(object.resource), object.name);
  }
  for (const [name, value] of Object.entries(params)) if (value !== "") parameters.set(name, value);
  return `?${parameters.toString()}`;
}

export const kindNames = {
  horizontalpodautoscalers: "HorizontalPodAutoscaler",
  workloadautoscalers: "WorkloadAutoscaler",
} as const satisfies Readonly<Record<Resource, string>>;

export function shortNameOf(resource: Resource): string {
  return shortNames.find(([, name]) => name === resource)?.[0] ?? "hpa";
}

/** The same page with other parameters; an empty one is left out. */
export function withParams(route: Route, params: Readonly<Record<string, string | undefined>>): Route {
  const merged = { ...route.params };
  for (const [name, value] of Object.entries(params)) merged[name] = value ?? "";
  return { ...route, params: Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== "")) };
}

/** Another page about an object. */
export function objectRoute(
  object: ObjectKey,
  view: "object" | "trace" | "what-if" = "object",
  params: Route["params"] = {},
): Route {
  const { resource, namespace, name } = object;
  return { view, object: { resource, namespace, name }, params };
}

export function pageRoute(view: "fleet" | "shadow" | "findings", params: Route["params"] = {}): Route {
  return { view, object: undefined, params };
}

/** The values of a list parameter, such as the steps that are open. */
export function listParam(route: Route, name: string): ReadonlySet<string> {
  return new Set((route.params[name] ?? "").split(",").filter((value) => value !== ""));
}
