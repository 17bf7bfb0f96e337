// Reads what a backend lists, out of a document that may be anything.
import { parseBounded } from "../backend/parse-bounded.ts";
import type { FederatedGroup } from "../config/federation-config.ts";

/** Names as discovery has them, such as pods/requests or queue_length; whether each is in namespaces. */
export type ListedNames = ReadonlyMap<string, boolean>;

/** The names, or why the document is none of this kind. */
export type ReadList =
  | { readonly ok: true; readonly names: ListedNames; readonly dropped: number }
  | { readonly ok: false; readonly message: string };

/** Of one version of one group. A cluster agent with more metrics is configured by `match`. */
const maxNames = 10_000;
/** Parts of a path, without what would change how it is read. */
const part = /^[^\s/%?#\p{C}]{1,253}$/u;
/** What adapters list where they cannot list what they have, or have nothing. */
const placeholders: ReadonlySet<string> = new Set(["externalmetrics", "custommetrics"]);

/** Reads an APIResourceList. Names that no request can have are dropped, and so are placeholders. */
export function readResourceList(group: FederatedGroup, text: string): ReadList {
  const rows = rowsOf(text);
  if (rows === undefined) return { ok: false, message: "its list of resources is no APIResourceList" };
  if (rows.length > maxNames)
    return { ok: false, message: `it lists ${rows.length} resources: ${maxNames} are read` };
  const names = new Map<string, boolean>();
  let dropped = 0;
  for (const row of rows) {
    const { name, namespaced } = (row ?? {}) as { readonly name?: unknown; readonly namespaced?: unknown };
    if (typeof name === "string" && placeholders.has(name)) continue;
    if (typeof name === "string" && isName(group, name)) names.set(name, namespaced === true);
    else dropped += 1;
  }
  return { ok: true, names, dropped };
}

function rowsOf(text: string): readonly unknown[] | undefined {
  const document = parseBounded(text) as
    | { readonly kind?: unknown; readonly resources?: unknown }
    | null
    | undefined;
  const { kind, resources } = document ?? {};
  return kind === "APIResourceList" && Array.isArray(resources) ? (resources as unknown[]) : undefined;
}

function isName(group: FederatedGroup, name: string): boolean {
  const parts = name.split("/");
  const count = group === "external.metrics.k8s.io" ? 1 : 2;
  return parts.length === count && parts.every((one) => part.test(one));
}
