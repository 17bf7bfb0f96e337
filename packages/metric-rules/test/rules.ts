import type { CompileContext } from "../src/compile/compile-rule.ts";
import { defaultRuleLimits } from "../src/compile/limits.ts";
import type { WatchedRule } from "../src/kind/kind.ts";
import { projectRule } from "../src/kind/project.ts";

/** A MetricRule as the server sends it. */
export function rawRule(name: string, spec: object, metadata: object = {}) {
  const rest = { namespace: "shop", uid: `uid-${name}`, generation: 1, ...metadata };
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z", ...rest },
    spec,
  };
}

export function watchedRule(name: string, spec: object, metadata: object = {}): WatchedRule {
  return projectRule(rawRule(name, spec, metadata));
}

export const podsSpec = (query = "sum by (pod) (rate(packets_total[2m]))") => ({ type: "Pods", query });
export const externalSpec = (query = "queue_length") => ({ type: "External", query });

export const ingresses = {
  group: "networking.k8s.io",
  version: "v1",
  resource: "ingresses",
  singular: "ingress",
  kind: "Ingress",
  namespaced: true,
};
export const nodes = {
  group: "",
  version: "v1",
  resource: "nodes",
  singular: "node",
  kind: "Node",
  namespaced: false,
};

/** A cluster with ingresses and nodes, and two sources: one for all, one for `team-*`. */
export const context: CompileContext = {
  namespaceLabel: "namespace",
  limits: defaultRuleLimits,
  source(name) {
    if (name === "default") return { serves: () => true };
    return name === "team" ? { serves: (namespace) => namespace.startsWith("team-") } : undefined;
  },
  resource(groupResource) {
    if (groupResource === "ingresses.networking.k8s.io") return ingresses;
    if (groupResource === "nodes") return nodes;
    return groupResource === "slow.example.com" ? "pending" : "unknown";
  },
};
