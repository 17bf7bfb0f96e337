import { type ApiError, ConnectionError } from "../api-error.ts";
import { apiErrorOf } from "../http/error-response.ts";
import type { KubeObject } from "../object.ts";

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }
  | { readonly type: "ERROR"; readonly error: ApiError }
  | { readonly type: "unknown"; readonly name: string };

/** Reads one line of a watch. Throws ConnectionError when it is not an event. */
export function readWatchEvent(line: string): WatchEvent {
  let parsed: { readonly type?: unknown; readonly object?: Partial<KubeObject> | null } | null;
  try {
    parsed = JSON.parse(line) as typeof parsed;
  } catch (error) {
    throw new ConnectionError("bad_response", `a line of a watch is not JSON: ${line.slice(0, 80)}`, error);
  }
  const type = parsed?.type;
  if (typeof type !== "string") {
    throw new ConnectionError("bad_response", `a line of a watch is not an event: ${line.slice(0, 80)}`);
  }
  if (type === "ERROR") return { type, error: apiErrorOf(parsed?.object, { code: 500, what: "watch" }) };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED" && type !== "BOOKMARK") {
    return { type: "unknown", name: type };
  }
  const metadata = parsed?.object?.metadata;
  if (typeof metadata?.resourceVersion !== "string") {
    throw new ConnectionError("bad_response", `an event ${type} has no object with a version`);
  }
  if (type === "BOOKMARK") return { type, resourceVersion: metadata.resourceVersion };
  if (typeof metadata.name !== "string") {
    throw new ConnectionError("bad_response", `an event ${type} has an object without a name`);
  }
  return { type, object: parsed?.object as KubeObject };
}
