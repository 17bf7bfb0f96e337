// A cluster with a workload, and what may be in front of it.
import { apiServer } from "@plimsoll/testbed/world/cluster";

export const app = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "shop" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } } },
  },
});
export const service = (name: string, selected: string, namespace = "shop", spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { selector: { app: selected }, ...spec },
});
export const ingress = (className: string, name = "web") => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name, namespace: "shop" },
  spec: {
    ingressClassName: className,
    rules: [{ http: { paths: [{ backend: { service: { name: "web" } } }] } }],
  },
});
export const ingressClass = (name: string, controller: string) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name },
  spec: { controller },
});
const gatewayApi = "gateway.networking.k8s.io/v1";
export const route = {
  apiVersion: gatewayApi,
  kind: "HTTPRoute",
  metadata: { name: "web", namespace: "shop" },
  spec: { parentRefs: [{ name: "edge", namespace: "infra" }], rules: [{ backendRefs: [{ name: "web" }] }] },
};
export const gateway = [
  {
    apiVersion: gatewayApi,
    kind: "Gateway",
    metadata: { name: "edge", namespace: "infra" },
    spec: { gatewayClassName: "eg" },
  },
  {
    apiVersion: gatewayApi,
    kind: "GatewayClass",
    metadata: { name: "eg" },
    spec: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
  },
];
export const traefik = ingressClass("traefik", "traefik.io/ingress-controller");

export function shop(...objects: readonly object[]) {
  const server = apiServer({
    resources: [
      ["v1", "Pod", "pods"],
      ["v1", "Service", "services"],
      ["apps/v1", "Deployment", "deployments"],
      ["apps/v1", "StatefulSet", "statefulsets"],
      ["autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"],
      ["networking.k8s.io/v1", "Ingress", "ingresses"],
      ["networking.k8s.io/v1", "IngressClass", "ingressclasses", "cluster"],
      [gatewayApi, "HTTPRoute", "httproutes"],
      [gatewayApi, "Gateway", "gateways"],
      [gatewayApi, "GatewayClass", "gatewayclasses", "cluster"],
      ["inference.networking.k8s.io/v1", "InferencePool", "inferencepools"],
    ],
  });
  const metadata = { name: "web-0", namespace: "shop", labels: { app: "web" } };
  server.put(
    app("web"),
    service("web", "web"),
    { apiVersion: "v1", kind: "Pod", metadata },
    ...(objects as []),
  );
  return { ...server, usage: () => undefined };
}
