// The file of other adapters: read, checked, and made into a federation beside our own metrics.
import type { Logger } from "@plimsoll/component-base";
import { type IsOwn, type LoadedFederation, listedName, loadFederation } from "@plimsoll/federation";
import type { Engine } from "../backends/prometheus/engine.ts";

/** Reads the text of the file, and logs its warnings. */
export function readFederation(path: string, text: string, log: Logger): LoadedFederation {
  const loaded = loadFederation(text);
  for (const warning of loaded.ok ? loaded.warnings : [])
    log.warn({ ...warning, file: path }, "a backend may not be safe to use");
  return loaded;
}

/**
 * Whether one of our rules serves a metric: one of the file for all namespaces, a MetricRule for its own. Lists are made into
 * sets once, as they change with a relist only.
 */
export function createIsOwn(engine: Pick<Engine, "ofFile" | "hasRule">): IsOwn {
  const custom = createLookUp(
    () => engine.ofFile.custom?.list(),
    ({ groupResource, metric }) => listedName({ resource: groupResource, metric }),
  );
  const external = createLookUp(
    () => engine.ofFile.external?.list(),
    (metric) => metric,
  );
  return (target) => {
    const ofFile = target.group === "custom.metrics.k8s.io" ? custom() : external();
    return ofFile.has(listedName(target)) || engine.hasRule(target);
  };
}

const nothing: ReadonlySet<string> = new Set();

function createLookUp<T>(
  list: () => readonly T[] | undefined,
  nameOf: (item: T) => string,
): () => ReadonlySet<string> {
  let last: { readonly items: readonly T[]; readonly names: ReadonlySet<string> } | undefined;
  return () => {
    const items = list();
    if (items === undefined) return nothing;
    if (last?.items !== items) last = { items, names: new Set(items.map(nameOf)) };
    return last.names;
  };
}
