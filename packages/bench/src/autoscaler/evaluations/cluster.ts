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

/** `nowMs`: of the clock on which the periods pass. */
export function createInlineCluster(size: Size, nowMs: () => number): InlineCluster {
  const lists = world(size);
  const requests = new Map<string, number>();
  const watches = new Map<string, ReturnType<typeof createByteStream>>();
  let readUs = 0;
  let version = 1_000_000;

  function count(what: string): void {
    requests.set(what, (requests.get(what) ?? 0) + 1);
  }

  /** As a client reads it, so that nothing is shared with this server. */
  function read(text: string): unknown {
    const before = process.threadCpuUsage();
    const value: unknown = JSON.parse(text);
    const { user, system } = process.threadCpuUsage(before);
    readUs += user + system;
    return value;
  }

  function written(path: string, body: unknown): string {
    version++;
    const object = body as { readonly metadata: object };
    const text = JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } });
    watches
      .get(path.replace(/\/namespaces\/.*/, "/horizontalpodautoscalers"))
      ?.write(`{"type":"MODIFIED","object":${text}}\n`);
    return text;
  }

  function textOf({ method = "GET", path, query, body }: KubeRequest): string {
    if (method === "PUT" && path.endsWith("/status")) {
      count("status");
      return written(path, body);
    }
    if (method !== "GET") {
      count(`${method} ${path}`);
      return JSON.stringify(body ?? {});
    }
    const namespace = /^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/([^/]+)\/pods$/.exec(path)?.[1];
    if (namespace !== undefined) {
      count("metrics");
      return usageText(namespace, size, nowMs());
    }
    const scaled = /\/deployments\/([^/]+)\/scale$/.exec(path)?.[1];
    if (scaled !== undefined) {
      count("scale");
      return scaleText(scaled, size.pods);
    }
    const list = lists.pageOf(path, String(query?.["continue"] ?? ""), Number(query?.["limit"] ?? 0));
    if (list === undefined) {
      count(`${path}: 404`);
      throw new ApiError({ code: notServed, reason: "NotFound", message: `${path} is not served here` });
    }
    count(`list ${path}`);
    return list;
  }

  return {
    client: {
      server: "https://inline",
      async request<T>(request: KubeRequest): Promise<T> {
        const text = textOf(request);
        // As it would be over a network.
        await Promise.resolve();
        return read(text) as T;
      },
      async stream({ path }) {
        if (lists.pageOf(path, "", 1) === undefined)
          throw new ApiError({ code: notServed, reason: "NotFound", message: `${path} is not served here` });
        const stream = createByteStream();
        watches.set(path, stream);
        return stream;
      },
      close: () => Promise.resolve(),
    },
    get readUs() {
      return readUs;
    },
    requests,
    bookmark() {
      for (const watch of watches.values())
        watch.write(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${version}"}}}\n`);
    },
  };
}
