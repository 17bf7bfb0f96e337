// The resources that every cluster has, for checks without a cluster.
import type { CompiledRules } from "../compile/compiled-rules.ts";
import type { ClusterResource, ResourceMapper } from "../naming/cluster-resource.ts";
import { groupResourceOf } from "../naming/resource-labels.ts";

/** What every cluster has, as "resource.group", by whether it is in namespaces. */
const NAMESPACED =
  "pods services configmaps secrets endpoints events persistentvolumeclaims replicationcontrollers resourcequotas " +
  "serviceaccounts limitranges deployments.apps statefulsets.apps daemonsets.apps replicasets.apps " +
  "controllerrevisions.apps jobs.batch cronjobs.batch ingresses.networking.k8s.io networkpolicies.networking.k8s.io " +
  "horizontalpodautoscalers.autoscaling poddisruptionbudgets.policy leases.coordination.k8s.io " +
  "endpointslices.discovery.k8s.io";
const CLUSTER_SCOPED =
  "nodes namespaces persistentvolumes storageclasses.storage.k8s.io volumeattachments.storage.k8s.io " +
  "ingressclasses.networking.k8s.io priorityclasses.scheduling.k8s.io runtimeclasses.node.k8s.io";

/**
 * Replaces a cluster's discovery where there is no cluster: knows what every cluster has, and takes each other
 * resource that an override names for one in namespaces.
 */
export function createBuiltinMapper(rules: CompiledRules): ResourceMapper & {
  /** Resources that overrides name and that only the cluster knows. */
  readonly assumed: readonly string[];
} {
  const known = [...namesIn(NAMESPACED, true), ...namesIn(CLUSTER_SCOPED, false)];
  const find = (text: string): ClusterResource | undefined => {
    const [name = "", ...group] = text.toLowerCase().split(".");
    const wanted = group.join(".");
    return known.find(
      (info) => (info.resource === name || info.singular === name) && info.group.startsWith(wanted),
    );
  };
  const assumed = new Set<string>();
  const all = [...rules.custom, ...rules.external];
  for (const override of all.flatMap((rule) => rule.resources.overrides)) {
    const name = groupResourceOf(override);
    if (find(name) !== undefined) continue;
    assumed.add(name);
    known.push(infoOf(name, true));
  }
  return { byResource: async (text) => find(text), assumed: [...assumed] };
}

function namesIn(text: string, namespaced: boolean): readonly ClusterResource[] {
  return text.split(" ").map((name) => infoOf(name, namespaced));
}

function infoOf(groupResource: string, namespaced: boolean): ClusterResource {
  const [resource = "", ...group] = groupResource.toLowerCase().split(".");
  const singular = singularOf(resource);
  return {
    group: group.join("."),
    version: "v1",
    resource,
    singular,
    kind: `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`,
    namespaced,
  };
}

function singularOf(resource: string): string {
  if (resource === "endpoints") return resource;
  if (resource.endsWith("ies")) return `${resource.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(resource)) return resource.slice(0, -2);
  return resource.endsWith("s") ? resource.slice(0, -1) : resource;
}
