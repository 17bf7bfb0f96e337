// An autoscaler that serves decisions over HTTPS, as a test says, with every request and credential on record.
import { X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "@plimsoll/component-base";
import type { Connection, ForwardPort, KubeObject } from "@plimsoll/kube";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { onTestFinished } from "vitest";
import { type FakeCluster, nowMs } from "./fake-cluster.ts";

export interface SeenRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

export interface FakeAutoscaler {
  readonly port: number;
  readonly sha256: string;
  readonly caPem: string;
  readonly requests: readonly SeenRequest[];
  /** TLS connections that came with a certificate. */
  readonly certificates: readonly string[];
  reply(path: string, body: unknown, code?: number): void;
  /** Keeps the responses to this path open. */
  stream(path: string): { readonly open: readonly ServerResponse[] };
  /** Cuts all connections. */
  cut(): void;
  stop(): void;
}

export async function startFakeAutoscaler(): Promise<FakeAutoscaler> {
  const { certPem, keyPem, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const replies = new Map<string, { readonly code: number; readonly body: unknown }>();
  const streams = new Map<string, ServerResponse[]>();
  const requests: SeenRequest[] = [];
  const certificates: string[] = [];
  const sockets = new Set<Socket>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "https://x");
    const { authorization } = request.headers;
    requests.push({ path: url.pathname, query: Object.fromEntries(url.searchParams), authorization });
    const open = streams.get(url.pathname);
    if (open !== undefined) {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      response.write("retry: 2000\n\nevent: reset\nid: a-1\ndata: {}\n\n");
      open.push(response);
      return;
    }
    const { code, body } = replies.get(url.pathname) ?? notFound(url.pathname);
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const server: Server = createServer(
    { cert: certPem, key: keyPem, requestCert: true, rejectUnauthorized: false },
    handle,
  );
  server.on("secureConnection", (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    const name = socket.getPeerCertificate()?.subject?.CN?.toString();
    if (name !== undefined) certificates.push(name);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const stop = (): void => {
    cut();
    server.close();
  };
  onTestFinished(stop);
  return {
    port: (server.address() as AddressInfo).port,
    sha256: new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase(),
    caPem,
    requests,
    certificates,
    reply(path, body, code = 200) {
      replies.set(path, { code, body: code === 200 ? body : statusOf(code, String(body)) });
    },
    stream(path) {
      const open: ServerResponse[] = [];
      streams.set(path, open);
      return { open };
    },
    cut,
    stop,
  };
}

function notFound(path: string) {
  return { code: 404, body: statusOf(404, `${path} is not here`) };
}

function statusOf(code: number, message: string): object {
  return { kind: "Status", code, reason: "", message };
}

/** The lease that announces a process. */
export function leaseOf(
  { port, sha256 }: Pick<FakeAutoscaler, "port" | "sha256">,
  more: { readonly pod?: string; readonly holder?: string; readonly namespace?: string } = {},
): KubeObject & { readonly spec: object } {
  const { pod = "autoscaler-0", holder = "autoscaler-0_1", namespace = "plimsoll" } = more;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: "plimsoll-autoscaler",
      namespace,
      annotations: {
        "autoscaling.plimsoll.dev/serving": JSON.stringify({ pod, address: `10.0.0.7:${port}`, sha256 }),
      },
    },
    spec: { holderIdentity: holder, renewTime: "2026-11-22T10:00:00Z" },
  };
}

export interface LocalForward {
  readonly forwardPort: ForwardPort;
  /** To which pods. */
  readonly pods: readonly string[];
  refuse: Error | undefined;
}

/** Forwards to ports of this machine. */
export function localForward(): LocalForward {
  const pods: string[] = [];
  const self: LocalForward = {
    pods,
    refuse: undefined,
    forwardPort({ namespace, pod, port }) {
      pods.push(`${namespace}/${pod}`);
      if (self.refuse !== undefined) return Promise.reject(self.refuse);
      const socket = connect({ host: "127.0.0.1", port });
      socket.on("error", () => undefined);
      return Promise.resolve(socket);
    },
  };
  return self;
}

/** Connects to the cluster with a token as a kubeconfig gives it, and to pods by ports of this machine. */
export function connecting(
  fake: FakeCluster,
  { clock = stillClock, token = "token", forwardPort = localForward().forwardPort }: ConnectingOptions = {},
): () => Promise<Connection> {
  const read = () => Promise.resolve({ headers: { authorization: `Bearer ${token}` }, tls: {} });
  const credentials = { read, reload: () => Promise.resolve() };
  return () => {
    const { client, access } = fake.connection(clock);
    return Promise.resolve({ client, access: { ...access, credentials, forwardPort } });
  };
}

interface ConnectingOptions {
  readonly clock?: Clock;
  readonly token?: string;
  readonly forwardPort?: ForwardPort;
}

const stillClock: Clock = { nowMs: () => nowMs, after: () => () => undefined };
