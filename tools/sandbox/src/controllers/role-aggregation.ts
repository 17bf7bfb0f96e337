// The controller of aggregated ClusterRoles.
import { labelSelector } from "@plimsoll/core/selector";
import { rulesIn, storedRule } from "../auth/policy-rule.ts";
import { clusterRoles } from "../auth/rbac.ts";
import type { ApiContext } from "../rest/api-context.ts";
import { changeStored } from "../rest/write-handlers.ts";
import { recordsAt } from "../storage/json-value.ts";
import { isSame } from "../storage/seal.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/** Gives each ClusterRole with an aggregationRule the rules of those that it selects. */
export function startRoleAggregation(context: ApiContext): () => void {
  const { store, registry } = context;
  const definition = registry.byStorage(clusterRoles);
  if (definition === undefined) return () => {};
  // Its own writes come back as events, at once or later: that many do not count.
  let ownEvents = 0;
  const pass = (): boolean => {
    let isChanged = false;
    for (const { metadata } of store.list(clusterRoles)) {
      const current = store.get(clusterRoles, undefined, metadata.name);
      if (current?.["aggregationRule"] === undefined) continue;
      const rules = aggregated(current, store.list(clusterRoles));
      if (isSame(rules, current["rules"] ?? [])) continue;
      isChanged = true;
      ownEvents += 1;
      changeStored(context, definition, { current, change: (role) => void (role["rules"] = rules) });
    }
    return isChanged;
  };
  // Rules pass through each role at most once. Roles in a circle can hand theirs on for ever.
  const refresh = (): void => {
    for (let left = store.list(clusterRoles).length; left > 0 && pass(); ) left -= 1;
  };
  const unsubscribe = store.subscribe(({ resource }) => {
    if (resource !== clusterRoles) return;
    if (ownEvents > 0) ownEvents -= 1;
    else refresh();
  });
  refresh();
  return unsubscribe;
}

/** Each rule once, in the order of the selectors and of the names. */
function aggregated(role: StoredObject, all: readonly StoredObject[]): readonly object[] {
  const rules = new Map<string, object>();
  for (const selector of recordsAt(role, "aggregationRule", "clusterRoleSelectors")) {
    const { matches } = labelSelector(selector);
    for (const other of all) {
      if (other.metadata.name === role.metadata.name || !matches(other.metadata.labels)) continue;
      for (const rule of rulesIn(other).map(storedRule)) rules.set(JSON.stringify(rule), rule);
    }
  }
  return [...rules.values()];
}
