// Converts between workloads and their scale subresource.
import { isRecord, type JsonRecord, numberAt, setAt, stringAt, valueAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/** Where an object keeps what its scale subresource shows. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A labelSelector object of a built-in kind, or the selector text of a custom resource. */
  readonly selector:
    | { readonly kind: "object" | "map" | "text"; readonly path: readonly string[] }
    | undefined;
}

export const builtinScale: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: { kind: "object", path: ["spec", "selector"] },
};

/** The autoscaling/v1 Scale of an object; undefined when a custom resource has no replicas at its path. */
export function scaleOf(object: StoredObject, paths: ScalePaths): JsonRecord | undefined {
  const replicas = numberAt(object, ...paths.specReplicas);
  if (replicas === undefined && paths !== builtinScale) return undefined;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(object, paths);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, ...paths.statusReplicas) ?? 0,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

export function withReplicas(object: JsonRecord, paths: ScalePaths, replicas: number): void {
  setAt(object, paths.specReplicas, replicas);
}

function selectorText(object: StoredObject, paths: ScalePaths): string {
  if (paths.selector === undefined) return "";
  if (paths.selector.kind === "text") return stringAt(object, ...paths.selector.path) ?? "";
  const value = valueAt(object, ...paths.selector.path);
  if (!isRecord(value)) return "";
  return formatSelector(paths.selector.kind === "map" ? { matchLabels: value } : value);
}

/** A metav1.LabelSelector as text, requirements ordered by key as upstream prints them. */
export function formatSelector(selector: JsonRecord): string {
  const labels = isRecord(selector["matchLabels"]) ? selector["matchLabels"] : {};
  const parts = Object.entries(labels).map(([key, value]) => ({ key, text: `${key}=${String(value)}` }));
  const expressions = Array.isArray(selector["matchExpressions"]) ? selector["matchExpressions"] : [];
  for (const expression of expressions.filter(isRecord)) {
    const key = String(expression["key"]);
    const values = Array.isArray(expression["values"])
      ? expression["values"].map(String).sort().join(",")
      : "";
    const texts: Readonly<Record<string, string>> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    parts.push({ key, text: texts[String(expression["operator"])] ?? key });
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(",");
}
