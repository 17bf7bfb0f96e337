// The pages of metrics of all pods: one server, which knows a pod by the address that a request came to.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ObjectStore } from "@plimsoll/sandbox";

export interface PodPages {
  readonly port: number;
  /** Requests per second that the pods of a workload share. */
  load(name: string, perSecond: number): void;
  /** Which pods there are. @returns what ends it, and forgets them */
  follow(store: Pick<ObjectStore, "list" | "subscribe">): () => Promise<void>;
  stop(): Promise<void>;
}

interface Counter {
  readonly app: string;
  value: number;
  atMs: number;
}

function advance(one: Counter, perSecond: number): void {
  const nowMs = Date.now();
  one.value += (perSecond * (nowMs - one.atMs)) / 1000;
  one.atMs = nowMs;
}

/** What else a page of 10 kB has. */
const others = Array.from(
  { length: 150 },
  (_, at) => `process_something_else_${at}{code="200",handler="/api/v1/items"} ${at}\n`,
).join("");

export async function servePodPages(): Promise<PodPages> {
  const loads = new Map<string, number>();
  const counters = new Map<string, Counter>();
  const sizes = new Map<string, number>();
  const shareOf = (app: string): number => (loads.get(app) ?? 0) / Math.max(1, sizes.get(app) ?? 1);
  /** All counters of a workload go on at once, so that a step in its load is one in each of them. */
  const goOn = (app: string): void => {
    for (const one of counters.values()) if (one.app === app) advance(one, shareOf(app));
  };
  const add = (ip: string, app: string): void => {
    if (counters.has(ip)) return;
    goOn(app);
    counters.set(ip, { app, value: 0, atMs: Date.now() });
    sizes.set(app, (sizes.get(app) ?? 0) + 1);
  };
  const see = (object: unknown): void => {
    const { metadata, status } = object as {
      readonly metadata: { readonly labels?: Record<string, string> };
      readonly status?: { readonly podIP?: string };
    };
    if (status?.podIP !== undefined) add(status.podIP, metadata.labels?.["app"] ?? "");
  };
  const server = createServer((request, response) => {
    const one = counters.get((request.socket.localAddress ?? "").replace("::ffff:", ""));
    if (one !== undefined) advance(one, shareOf(one.app));
    response.end(
      `${others}# TYPE http_requests_total counter\nhttp_requests_total{code="200"} ${one?.value ?? 0}\n`,
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "0.0.0.0", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    load(name, perSecond) {
      goOn(name);
      loads.set(name, perSecond);
    },
    follow(store) {
      for (const pod of store.list("pods")) see(pod);
      const end = store.subscribe(({ resource, object }) => {
        if (resource === "pods") see(object);
      });
      return async () => {
        end();
        counters.clear();
        sizes.clear();
      };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
