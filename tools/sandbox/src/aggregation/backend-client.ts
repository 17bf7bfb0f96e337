import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { KeyPair } from "../tls/certificate-authority.ts";
import type { AggregatedService } from "./api-service.ts";
import type { Endpoint } from "./resolve-service.ts";

/** TLS connections to backends, made with the front-proxy certificate and kept alive. */
export interface BackendClient {
  open(options: BackendRequest): ClientRequest;
  /** A whole GET, with a limit on its time. Rejects when there is no response. */
  get(options: Omit<BackendRequest, "method"> & { timeoutMs: number }): Promise<BackendResponse>;
  close(): void;
}

export interface BackendRequest {
  readonly backend: AggregatedService;
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

export interface BackendResponse {
  readonly code: number;
  readonly contentType: string;
  readonly body: string;
}

const maxResponseBytes = 16 * 1024 * 1024;

export function createBackendClient(frontProxy: KeyPair): BackendClient {
  const agents = new Map<string, Agent>();
  const agentFor = ({ service, caPem, insecureSkipTlsVerify }: AggregatedService): Agent => {
    const servername = `${service.name}.${service.namespace}.svc`;
    const key = JSON.stringify([servername, caPem, insecureSkipTlsVerify]);
    let agent = agents.get(key);
    if (agent === undefined) {
      agent = new Agent({
        keepAlive: true,
        servername,
        cert: frontProxy.certPem,
        key: frontProxy.keyPem,
        rejectUnauthorized: !insecureSkipTlsVerify,
        ...(caPem === undefined ? {} : { ca: [caPem] }),
      });
      agents.set(key, agent);
    }
    return agent;
  };
  const open = ({ backend, endpoint, method, path, headers }: BackendRequest): ClientRequest =>
    httpsRequest({
      host: endpoint.host,
      port: endpoint.port,
      method,
      path,
      headers,
      agent: agentFor(backend),
    });

  return {
    open,
    get: (options) =>
      new Promise((resolve, reject) => {
        const request = open({ ...options, method: "GET" });
        const timer = setTimeout(
          () => request.destroy(new Error("timed out waiting for the response")),
          options.timeoutMs,
        );
        request.once("close", () => clearTimeout(timer));
        request.on("error", reject);
        request.once("response", (response) => {
          readAll(response).then(
            (body) =>
              resolve({
                code: response.statusCode ?? 0,
                contentType: response.headers["content-type"] ?? "",
                body,
              }),
            reject,
          );
        });
        request.end();
      }),
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxResponseBytes) throw new Error("the response is too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
