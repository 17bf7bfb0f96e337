// The kinds that the fake API server has, and the places of their objects in paths.
export const served: readonly { readonly path: string; readonly resource: string; readonly kind: string }[] =
  [
    { path: "/apis/autoscaling/v2", resource: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" },
    {
      path: "/apis/autoscaling.plimsoll.dev/v1alpha1",
      resource: "workloadautoscalers",
      kind: "WorkloadAutoscaler",
    },
    { path: "/apis/apps/v1", resource: "deployments", kind: "Deployment" },
    { path: "/apis/coordination.k8s.io/v1", resource: "leases", kind: "Lease" },
    { path: "/apis/networking.k8s.io/v1", resource: "ingresses", kind: "Ingress" },
    { path: "/api/v1", resource: "pods", kind: "Pod" },
    { path: "/api/v1", resource: "events", kind: "Event" },
  ];

/** What a path names. */
export interface Place {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export function place(path: string): Place | undefined {
  const base = served.find((item) => path.startsWith(`${item.path}/`) && path.includes(`/${item.resource}`));
  if (base === undefined) return undefined;
  const rest = path.slice(base.path.length + 1).split("/");
  const [, namespace] = rest[0] === "namespaces" ? rest : [];
  const [, name, subresource] = namespace === undefined ? rest : rest.slice(2);
  const group = base.path.startsWith("/apis/") ? (base.path.split("/")[2] ?? "") : "";
  return { group, resource: base.resource, namespace, name, subresource };
}
