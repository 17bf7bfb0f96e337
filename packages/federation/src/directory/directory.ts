// Which adapter owns a metric: we ourselves, else the first backend that matches it, else the first that lists it.
// While the list of a backend is unknown, what later ones list may be its own. While one of our rules is not listed
// and may have any name, the explicit match of a backend comes before it.
import { parseSelector } from "@plimsoll/core/selector";
import type { BackendConfig } from "../config/federation-config.ts";
import type { NamePattern } from "../config/name-pattern.ts";
import type { MetricTarget } from "./metric-request.ts";

/** A request, as far as it decides who owns it. */
export interface MetricRequest extends MetricTarget {
  /** The selector of series, as it was sent. */
  readonly selector: string;
}

/** A backend, as far as it decides what it owns. */
export interface DirectoryEntry {
  readonly config: Pick<BackendConfig, "name" | "groups" | "match">;
  /** What it lists, or listed last; undefined while that was never known. */
  lists(request: Pick<MetricTarget, "group" | "resource" | "metric">): boolean | undefined;
}

/** Exactly one owner, or none that is known; then with the backends that may be it, whose lists are unknown. */
export type Owner<B> =
  | { readonly type: "own" }
  | { readonly type: "backend"; readonly backend: B }
  | { readonly type: "none"; readonly unread: readonly B[] };

/**
 * Whether one of our own rules serves a metric, in a namespace or in all. "unless-matched": a rule may serve it that
 * was never listed and may have any name, so that a backend whose `match` names the metric comes first.
 */
export type IsOwn = (target: MetricTarget) => boolean | "unless-matched";

/** @param backends In the order of the file. */
export function createDirectory<B extends DirectoryEntry>(
  backends: readonly B[],
  isOwn: IsOwn,
): (request: MetricRequest) => Owner<B> {
  return (request) => {
    const own = isOwn(request);
    if (own === true) return { type: "own" };
    const candidates = backends.filter(({ config }) => mayServe(config, request));
    const keys = lazyKeys(request.selector);
    const matching = candidates.find(({ config }) => matches(config.match, request, keys));
    if (matching !== undefined) return { type: "backend", backend: matching };
    if (own !== false) return { type: "own" };
    const unread: B[] = [];
    for (const backend of candidates) {
      const lists = backend.lists(request);
      if (lists === undefined) unread.push(backend);
      else if (lists) return unread.length === 0 ? { type: "backend", backend } : { type: "none", unread };
    }
    return { type: "none", unread };
  };
}

function mayServe({ groups, match }: DirectoryEntry["config"], { group, namespace }: MetricRequest): boolean {
  return groups.includes(group) && isAmong(match.namespaces, namespace ?? "");
}

/** Namespaces alone are no match: they only limit. */
function matches(
  { labelSelectorKeys, metrics }: BackendConfig["match"],
  { metric }: MetricRequest,
  keys: () => ReadonlySet<string>,
): boolean {
  if (labelSelectorKeys === undefined && metrics === undefined) return false;
  return isAmong(metrics, metric) && (labelSelectorKeys?.some((key) => keys().has(key)) ?? true);
}

function isAmong(patterns: readonly NamePattern[] | undefined, name: string): boolean {
  return patterns?.some((pattern) => pattern.matches(name)) ?? true;
}

/** Of all selectors that a URL has room for, those of autoscalers are far shorter. */
const maxSelectorLength = 8 * 1024;
const requires: ReadonlySet<string> = new Set(["=", "in", "exists"]);
const noKeys: ReadonlySet<string> = new Set();

/** The labels that a series must have, read when they are needed; a selector that cannot be read has none. */
function lazyKeys(selector: string): () => ReadonlySet<string> {
  let keys: ReadonlySet<string> | undefined;
  return () => {
    keys ??= selector.length > maxSelectorLength ? noKeys : readKeys(selector);
    return keys;
  };
}

function readKeys(selector: string): ReadonlySet<string> {
  try {
    const { requirements } = parseSelector(selector);
    return new Set(requirements.filter(({ operator }) => requires.has(operator)).map(({ key }) => key));
  } catch {
    return noKeys;
  }
}
