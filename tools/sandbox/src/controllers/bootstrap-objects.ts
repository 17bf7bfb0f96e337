// Creates the namespaces and objects of a new cluster.
import type { ResourceRegistry } from "../resources/registry.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { type ClusterIdentity, frontProxyName } from "../tls/cluster-identity.ts";

/** What a cluster has before anybody uses it. Without an identity, nothing says how to trust it. */
export function createBootstrapObjects(
  store: ObjectStore,
  options: { registry: ResourceRegistry; identity?: ClusterIdentity; nowText: string },
): void {
  for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
    store.create("namespaces", {
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
  if (options.identity !== undefined) createAuthenticationConfig(store, options.identity);
  const seen = new Set<string>();
  for (const { group, version } of options.registry.all()) {
    const name = `${version}.${group}`;
    if (seen.has(name)) continue;
    seen.add(name);
    store.create("apiservices.apiregistration.k8s.io", {
      metadata: { name, labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: {
        ...(group === "" ? {} : { group }),
        version,
        groupPriorityMinimum: 17_000,
        versionPriority: 15,
      },
      status: {
        conditions: [
          {
            type: "Available",
            status: "True",
            lastTransitionTime: options.nowText,
            reason: "Local",
            message: "Local APIServices are always available",
          },
        ],
      },
    });
  }
}

function createAuthenticationConfig(store: ObjectStore, identity: ClusterIdentity): void {
  store.create("configmaps", {
    metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
    data: {
      "client-ca-file": identity.caPem,
      "requestheader-client-ca-file": identity.frontProxyCaPem,
      "requestheader-allowed-names": JSON.stringify([frontProxyName]),
      "requestheader-username-headers": JSON.stringify(["X-Remote-User"]),
      "requestheader-group-headers": JSON.stringify(["X-Remote-Group"]),
      "requestheader-extra-headers-prefix": JSON.stringify(["X-Remote-Extra-"]),
    },
  });
}
