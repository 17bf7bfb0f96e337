// A cluster with an HPA on a metric of an Ingress, an HTTPRoute, a Gateway, or a Service.
import { recipes } from "@plimsoll/recipes";
import { putAdapter } from "./adapter.ts";
import { doctorServer } from "./api-server.ts";
import { putDeployment, putHpa } from "./example.ts";

export const rulesOf = (name: string) => recipes.find((one) => one.name === name)?.rules ?? "";
const gatewayApi = "gateway.networking.k8s.io/v1";

interface Setting {
  readonly kind?: "Ingress" | "HTTPRoute" | "Gateway" | "Service";
  /** Controllers of the classes of Ingresses that lead to the Service. */
  readonly ingresses?: readonly string[];
  /** Whether an HTTPRoute leads to the Service. */
  readonly isRouted?: boolean;
  readonly apiVersion?: string;
  readonly controller?: string;
  readonly rules?: string;
  readonly value?: string;
  readonly parents?: readonly object[];
}

const apiVersions = {
  Ingress: "networking.k8s.io/v1",
  HTTPRoute: gatewayApi,
  Gateway: gatewayApi,
  Service: "v1",
};

function putRoute(server: ReturnType<typeof doctorServer>, parentRefs: readonly object[]): void {
  server.put({
    apiVersion: gatewayApi,
    kind: "HTTPRoute",
    metadata: { name: "web", namespace: "pay" },
    spec: { parentRefs, rules: [{ backendRefs: [{ name: "web", port: 80 }] }] },
  });
}

/** Each leads to the Service, and is served by one of the controllers. */
function putIngresses(server: ReturnType<typeof doctorServer>, controllers: readonly string[]): void {
  const apiVersion = "networking.k8s.io/v1";
  for (const [index, controller] of controllers.entries())
    server.put(
      {
        apiVersion,
        kind: "Ingress",
        metadata: { name: `web-${index}`, namespace: "pay" },
        spec: { ingressClassName: `class-${index}`, defaultBackend: { service: { name: "web" } } },
      },
      { apiVersion, kind: "IngressClass", metadata: { name: `class-${index}` }, spec: { controller } },
    );
}

export function cluster({
  kind = "Ingress",
  apiVersion = apiVersions[kind],
  ingresses = [],
  isRouted = false,
  controller = "traefik.io/ingress-controller",
  rules = rulesOf("ingress-nginx"),
  value = "0",
  parents = [{ name: "edge" }],
}: Setting = {}) {
  const server = doctorServer();
  const metadata = { name: kind === "Gateway" ? "edge" : "web", namespace: "pay" };
  const target = { type: "AverageValue", averageValue: "100" };
  const metric = { name: "requests-per-second" };
  const object = { describedObject: { apiVersion, kind, name: metadata.name }, metric, target };
  putDeployment(server, { namespace: "pay", name: "web", replicas: 1 });
  putHpa(server, "pay", "web", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 4,
      metrics: [{ type: "Object", object }],
    },
  });
  const resource = {
    Ingress: "ingresses.networking.k8s.io",
    HTTPRoute: "httproutes.gateway.networking.k8s.io",
    Gateway: "gateways.gateway.networking.k8s.io",
    Service: "services",
  }[kind];
  server.reply(
    `/apis/custom.metrics.k8s.io/v1beta2/namespaces/pay/${resource}/${metadata.name}/requests-per-second`,
    {
      items: [{ describedObject: object.describedObject, metric, value, timestamp: "2026-11-22T10:29:50Z" }],
    },
  );
  if (kind === "Ingress") server.put({ apiVersion, kind, metadata, spec: { ingressClassName: "edge" } });
  if (kind === "HTTPRoute" || isRouted) putRoute(server, parents);
  putIngresses(server, ingresses);
  server.put(
    {
      apiVersion: gatewayApi,
      kind: "Gateway",
      metadata: { name: "edge", namespace: "pay" },
      spec: { gatewayClassName: "edge" },
    },
    {
      apiVersion: gatewayApi,
      kind: "GatewayClass",
      metadata: { name: "edge" },
      spec: { controllerName: controller },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: "edge" },
      spec: { controller },
    },
  );
  server.reply("/apis/apps/v1/namespaces/pay/deployments/web/scale", {
    metadata: { name: "web", namespace: "pay" },
    spec: { replicas: 1 },
    status: { replicas: 1, selector: "app=web" },
  });
  server.put({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1beta1.external.metrics.k8s.io" },
    spec: { group: "external.metrics.k8s.io", version: "v1beta1" },
  });
  if (rules !== "") putAdapter(server, rules);
  return server;
}
