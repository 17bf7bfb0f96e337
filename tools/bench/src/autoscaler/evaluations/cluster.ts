// An API server that is a function: lists, one watch each, usage and writes of statuses, without a socket.
import { ApiError, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import { createByteStream } from "@plimsoll/kube/testing";
import { type Size, scaleText, usageText, world } from "./world.ts";

export interface InlineCluster {
  readonly client: KubeClient;
  /** CPU of reading responses, in µs: it is not the evaluation's. */
  readonly readUs: number;
  readonly requests: ReadonlyMap<string, number>;
  /** Sends one to each watch, as a server does once a minute. */
  bookmark(): void;
}

const notServed = 404;

interface State {
  readonly size: Size;
  readonly nowMs: () => number;
  readonly lists: ReturnType<typeof world>;
  readonly requests: Map<string, number>;
  readonly watches: Map<string, ReturnType<typeof createByteStream>>;
  version: number;
}

/** `nowMs`: of the clock on which the periods pass. */
export function createInlineCluster(size: Size, nowMs: () => number): InlineCluster {
  const state: State = {
    size,
    nowMs,
    lists: world(size),
    requests: new Map(),
    watches: new Map(),
    version: 1_000_000,
  };
  let readUs = 0;

  /** As a client reads it, so that nothing is shared with this server. */
  function read(text: string): unknown {
    const before = process.threadCpuUsage();
    const value: unknown = JSON.parse(text);
    const { user, system } = process.threadCpuUsage(before);
    readUs += user + system;
    return value;
  }

  return {
    client: {
      server: "https://inline",
      async request<T>(request: KubeRequest): Promise<T> {
        const text = textOf(state, request);
        // As it would be over a network.
        await Promise.resolve();
        return read(text) as T;
      },
      async stream({ path }) {
        if (state.lists.pageOf(path, "", 1) === undefined) throw notFound(path);
        const stream = createByteStream();
        state.watches.set(path, stream);
        return stream;
      },
      close: () => Promise.resolve(),
    },
    get readUs() {
      return readUs;
    },
    requests: state.requests,
    bookmark() {
      for (const watch of state.watches.values())
        watch.write(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${state.version}"}}}\n`);
    },
  };
}

function textOf(state: State, { method = "GET", path, query, body }: KubeRequest): string {
  const { lists, size } = state;
  if (method === "PUT" && path.endsWith("/status")) {
    count(state, "status");
    return written(state, path, body);
  }
  if (method !== "GET") {
    count(state, `${method} ${path}`);
    return JSON.stringify(body ?? {});
  }
  const namespace = /^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/([^/]+)\/pods$/.exec(path)?.[1];
  if (namespace !== undefined) {
    count(state, "metrics");
    return usageText(namespace, size, state.nowMs());
  }
  const scaled = /\/deployments\/([^/]+)\/scale$/.exec(path)?.[1];
  if (scaled !== undefined) {
    count(state, "scale");
    return scaleText(scaled, size.pods);
  }
  const list = lists.pageOf(path, String(query?.["continue"] ?? ""), Number(query?.["limit"] ?? 0));
  if (list === undefined) throw notFound(path);
  count(state, `list ${path}`);
  return list;
}

function count({ requests }: State, what: string): void {
  requests.set(what, (requests.get(what) ?? 0) + 1);
}

function notFound(path: string): ApiError {
  return new ApiError({ code: notServed, reason: "NotFound", message: `${path} is not served here` });
}

/** The object as it is stored, which its watch shows. */
function written(state: State, path: string, body: unknown): string {
  state.version++;
  const object = body as { readonly metadata: object };
  const metadata = { ...object.metadata, resourceVersion: `${state.version}` };
  const text = JSON.stringify({ ...object, metadata });
  state.watches
    .get(path.replace(/\/namespaces\/.*/, "/horizontalpodautoscalers"))
    ?.write(`{"type":"MODIFIED","object":${text}}\n`);
  return text;
}
