import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { listenHttps } from "../../src/server/https-listener.ts";
import { createCertificateAuthority } from "../../src/tls/certificate-authority.ts";

export interface BackendRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Every value of X-Remote-Group, one for each header line. */
  readonly groups: readonly string[];
  readonly client: string | undefined;
  readonly clientTrusted: boolean;
}

export interface TlsBackend {
  readonly port: number;
  readonly caBundle: string;
  readonly requests: BackendRequest[];
  close(): Promise<void>;
}

/** An HTTPS server with a certificate for one service name that notes what it is asked. */
export async function startBackend(options: {
  serviceName: string;
  clientCaPem: string;
  answer: (path: string, response: ServerResponse) => void;
}): Promise<TlsBackend> {
  const ca = await createCertificateAuthority("backend-ca", Date.now());
  const serving = await ca.issueServer("backend", { dns: [options.serviceName], ips: [] });
  const requests: BackendRequest[] = [];
  const listener = await listenHttps({
    port: 0,
    serving,
    clientCaPem: options.clientCaPem,
    handler(request, response) {
      const socket = request.socket as TLSSocket;
      const path = request.url ?? "/";
      requests.push({
        method: request.method ?? "",
        path,
        headers: request.headers,
        groups: request.headersDistinct["x-remote-group"] ?? [],
        client: [socket.getPeerCertificate()?.subject?.CN].flat()[0],
        clientTrusted: socket.authorized,
      });
      options.answer(path, response);
    },
  });
  return {
    port: listener.port,
    caBundle: Buffer.from(ca.certPem).toString("base64"),
    requests,
    close: () => listener.close(),
  };
}

/** Answers as a metrics API server with one pod. */
export function metricsAnswer(path: string, response: ServerResponse): void {
  const documents: Readonly<Record<string, unknown>> = {
    "/apis/metrics.k8s.io/v1beta1": {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "metrics.k8s.io/v1beta1",
      resources: [
        { name: "pods", singularName: "pod", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
        { name: "pods/extra", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get"] },
      ],
    },
    "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods": {
      kind: "PodMetricsList",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: {},
      items: [
        {
          metadata: { name: "web-1", namespace: "default" },
          timestamp: "2026-01-01T00:00:00Z",
          window: "30s",
          containers: [{ name: "main", usage: { cpu: "250m", memory: "10Mi" } }],
        },
      ],
    },
  };
  const document = documents[path.split("?")[0] ?? ""];
  response.setHeader("content-type", "application/json");
  response.statusCode = document === undefined ? 404 : 200;
  response.end(JSON.stringify(document ?? {}));
}
