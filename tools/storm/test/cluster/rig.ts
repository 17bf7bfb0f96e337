import { type Cluster, createCluster } from "../../src/cluster/cluster.ts";
import type { ServerRequest } from "../../src/network/server.ts";
import { createRandom } from "../../src/random/random.ts";
import { createVirtualTime, type VirtualTime } from "../../src/time/virtual-time.ts";

export const startMs = Date.parse("2026-05-01T10:00:00Z");

export interface Rig {
  readonly time: VirtualTime;
  readonly cluster: Cluster;
  advance(ms: number): Promise<void>;
  /** What a request returned, parsed. */
  call(method: ServerRequest["method"], path: string, body?: unknown, query?: string): Promise<Reply>;
  /** The frames of a watch so far, and whether it has ended. */
  watch(path: string, query: string): Watched;
}

export interface Reply {
  readonly code: number;
  readonly body: Json;
}

/** A JSON document of any shape. */
export interface Json {
  readonly [key: string]: Json;
  readonly [index: number]: Json;
}

export interface Watched {
  readonly frames: Json[];
  isEnded: boolean;
  stop(): void;
}

export function rig(seed = 1): Rig {
  const time = createVirtualTime(startMs);
  const cluster = createCluster({ time, random: createRandom(seed) });
  const request = (method: ServerRequest["method"], path: string, query = ""): ServerRequest => ({
    method,
    path,
    query: new URLSearchParams(query),
    headers: { "user-agent": "tester", "content-type": "application/json" },
    body: undefined,
    caller: "tester",
  });
  return {
    time,
    cluster,
    advance: (ms) => time.runUntil(time.nowMs + ms),
    async call(method, path, body, query) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const response = await cluster.server({ ...request(method, path, query), body: text });
      if ("stream" in response) throw new Error("a stream");
      return { code: response.code, body: JSON.parse(response.body) as Json };
    },
    watch(path, query) {
      const response = cluster.server(request("GET", path, `watch=true&${query}`));
      if (response instanceof Promise || !("stream" in response)) throw new Error("no stream");
      const abort = new AbortController();
      const watched: Watched = { frames: [], isEnded: false, stop: () => abort.abort() };
      response.stream({
        signal: abort.signal,
        end: () => (watched.isEnded = true),
        write(text) {
          for (const line of text.trim().split("\n")) watched.frames.push(JSON.parse(line) as Json);
        },
      });
      return watched;
    },
  };
}

export function deployment(name: string, replicas: number) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "app:1" }] },
      },
    },
  };
}
