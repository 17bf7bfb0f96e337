import { type Clock, sleep } from "@plimsoll/component-base";
import type { KubeClient, KubeObject } from "@plimsoll/kube";
import { type ByteStream, createByteStream, inProcessClient } from "@plimsoll/kube/testing";
import type { RuleStatus } from "@plimsoll/metric-rules";

type Resource = "metricrules" | "workloadautoscalers";

interface Collection {
  readonly items: Map<string, object>;
  readonly streams: Set<ByteStream>;
  /** Of each response; 200 when the kind is there and may be read. */
  code: number;
  /** Lists wait for it. */
  listable: Promise<void>;
}

/** What becomes of lists: those of all namespaces, and those of one. */
export type Lists = "hang" | "fail" | "are endless" | "are served";

const statusOf = (code: number, reason: string) => ({
  code,
  body: { kind: "Status", code, reason, message: "no" },
});

/** An API server with MetricRules and WorkloadAutoscalers, or without a kind. */
export function fakeRules() {
  const newCollection = (): Collection => ({
    items: new Map(),
    streams: new Set(),
    code: 200,
    listable: Promise.resolve(),
  });
  const collections = { metricrules: newCollection(), workloadautoscalers: newCollection() };
  let version = 1;
  let lists: { readonly ofAll: Lists; readonly ofOne: Lists } = { ofAll: "are served", ofOne: "are served" };
  const reads: string[] = [];
  const put = (resource: Resource, namespace: string, name: string, parts: object): void => {
    version += 1;
    const { items, streams } = collections[resource];
    const key = `${namespace}/${name}`;
    const own = { namespace, name, uid: key, generation: version, resourceVersion: String(version) };
    const { metadata, ...rest } = parts as { readonly metadata?: object };
    const type = items.has(key) ? "MODIFIED" : "ADDED";
    const object = { metadata: { creationTimestamp: "2026-01-01T00:00:00Z", ...own, ...metadata }, ...rest };
    items.set(key, object);
    for (const stream of streams) stream.write(`${JSON.stringify({ type, object })}\n`);
  };
  const writeStatus = (status: KubeObject & { readonly status?: object }): void => {
    const { items, streams } = collections.metricrules;
    const key = `${status.metadata.namespace}/${status.metadata.name}`;
    version += 1;
    const before = items.get(key) as KubeObject;
    const metadata = { ...before.metadata, resourceVersion: String(version) };
    const object = { ...before, metadata, status: status.status };
    items.set(key, object);
    for (const stream of streams) stream.write(`${JSON.stringify({ type: "MODIFIED", object })}\n`);
  };
  const remove = (resource: Resource, namespace: string, name: string): void => {
    const { items, streams } = collections[resource];
    const object = items.get(`${namespace}/${name}`);
    items.delete(`${namespace}/${name}`);
    for (const stream of streams) stream.write(`${JSON.stringify({ type: "DELETED", object })}\n`);
  };
  const refuse = (resource: Resource, code: number): void => void (collections[resource].code = code);
  const pageOf = (items: Iterable<object>, token?: string) => ({
    code: 200,
    body: {
      metadata: { resourceVersion: String(version), ...(token === undefined ? {} : { continue: token }) },
      items: [...items],
    },
  });
  const listRules = async (path: string, { items }: Collection, clock: Clock) => {
    const [, namespace] = /\/namespaces\/([^/]*)\//.exec(path) ?? [];
    reads.push(namespace ?? "*");
    const become = namespace === undefined ? lists.ofAll : lists.ofOne;
    if (become === "hang") return new Promise<never>(() => {});
    if (become === "fail") return statusOf(500, "InternalError");
    if (become === "are endless") {
      await sleep(clock, 10);
      return pageOf([], String(reads.length));
    }
    const own = [...items].filter(([key]) => namespace === undefined || key.startsWith(`${namespace}/`));
    return pageOf(own.map(([, item]) => item));
  };
  return {
    /** Lists of MetricRules, each by its namespace; `*` of all of them. */
    reads,
    lists: (ofAll: Lists, ofOne: Lists = "are served") => void (lists = { ofAll, ofOne }),
    forbid: (is: boolean) => refuse("metricrules", is ? 403 : 200),
    uninstall: () => refuse("metricrules", 404),
    put: (namespace: string, name: string, spec: object) => put("metricrules", namespace, name, { spec }),
    statusOf: (namespace: string, name: string) =>
      (collections.metricrules.items.get(`${namespace}/${name}`) as { readonly status?: RuleStatus }).status,
    remove: (namespace: string, name: string) => remove("metricrules", namespace, name),
    autoscalers: {
      put: (namespace: string, name: string, metrics: readonly object[], parts: object = {}) =>
        put("workloadautoscalers", namespace, name, { spec: { metrics }, ...parts }),
      remove: (namespace: string, name: string) => remove("workloadautoscalers", namespace, name),
      refuse: (code: number) => refuse("workloadautoscalers", code),
      /** Lists take until then. */
      listAfter: (listable: Promise<void>) => void (collections.workloadautoscalers.listable = listable),
    },
    client: (clock: Clock): KubeClient =>
      inProcessClient({
        clock,
        respond: async ({ method, path, query, body }) => {
          const resource = path.endsWith("/workloadautoscalers") ? "workloadautoscalers" : "metricrules";
          const { items, streams, code, listable } = collections[resource];
          await listable;
          if (code !== 200) return statusOf(code, code === 403 ? "Forbidden" : "NotFound");
          if (method === "PUT") {
            writeStatus(body as KubeObject);
            return { code: 200, body };
          }
          if (query.get("watch") === null)
            return resource === "metricrules"
              ? listRules(path, collections[resource], clock)
              : pageOf(items.values());
          const stream = createByteStream();
          streams.add(stream);
          stream.onClose(() => streams.delete(stream));
          return { code: 200, stream };
        },
      }),
  };
}
