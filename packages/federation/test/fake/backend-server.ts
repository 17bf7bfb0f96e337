// Backends over TLS that answer as a test says, the honest and the hostile.
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { Server } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { type Listening, listen } from "@plimsoll/testbed/world";

export const certificate = await generateServingCertificate(["127.0.0.1", "localhost"], Date.now());
const pair = { cert: certificate.certPem, key: certificate.keyPem };

export interface FakeBackend extends Omit<Listening, "host"> {
  readonly url: string;
  /** Of all requests: headers that were sent, by name in lower case. */
  readonly requests: { readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
}

/** An HTTPS server; each request is recorded. */
export async function startBackend(handle: RequestListener, identity = pair): Promise<FakeBackend> {
  const requests: FakeBackend["requests"] = [];
  const server = createServer(identity, (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    requests.push({ path: request.url ?? "", headers });
    handle(request, response);
  });
  return { ...(await served(server)), requests };
}

/** A server that writes bytes, whatever is requested. */
export async function startRawBackend(
  onRequest: (socket: TLSSocket) => void,
): Promise<Omit<FakeBackend, "requests">> {
  const server = createTlsServer(pair, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => onRequest(socket));
  });
  return served(server);
}

async function served(server: Server): Promise<Omit<FakeBackend, "requests">> {
  const listening = await listen(server);
  return { ...listening, url: `https://${listening.host}` };
}

export function sendJson(response: Parameters<RequestListener>[1], document: object, code = 200): void {
  response.writeHead(code, { "Content-Type": "application/json" });
  response.end(JSON.stringify(document));
}

/** Lists external metrics and no others, and has a value of each. */
export function externalAdapter(...names: readonly string[]): RequestListener {
  return (request, response) => {
    const path = request.url ?? "";
    if (path === "/apis/external.metrics.k8s.io/v1beta1")
      sendJson(response, resourceList("external.metrics.k8s.io/v1beta1", names));
    else if (path.startsWith("/apis/custom")) sendJson(response, { kind: "Status", code: 404 }, 404);
    else sendJson(response, externalList(decodeURIComponent(/([^/?]*)(?:\?|$)/.exec(path)?.[1] ?? ""), "1"));
  };
}

export function resourceList(groupVersion: string, names: readonly string[]): object {
  const resources = names.map((name) => ({
    name,
    singularName: "",
    namespaced: true,
    kind: "X",
    verbs: ["get"],
  }));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

export function externalList(metricName: string, value: string): object {
  const items = [{ metricName, metricLabels: null, timestamp: "2026-01-01T00:00:00Z", value }];
  return {
    kind: "ExternalMetricValueList",
    apiVersion: "external.metrics.k8s.io/v1beta1",
    metadata: {},
    items,
  };
}

/** A list of a custom metric of pods, each as namespace/name. */
export function customList(...objects: readonly string[]): object {
  const items = objects.map((object) => {
    const [namespace, name] = object.split("/");
    return {
      describedObject: { kind: "Pod", namespace, name, apiVersion: "v1" },
      metricName: "rate",
      value: "1",
    };
  });
  return { kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta1", metadata: {}, items };
}
