// An API server as a function: enough to read objects, metrics and events from, with every request on record.
import type { Clock } from "@plimsoll/component-base";
import type { Connection, KubeObject } from "@plimsoll/kube";
import { inProcessClient } from "@plimsoll/kube/testing";
import { runCli } from "../../src/index.ts";
import type { CliSeams, Terminal } from "../../src/seams.ts";

export const nowMs = Date.parse("2026-11-22T10:00:02Z");
const podMetrics = "/apis/metrics.k8s.io/v1beta1/namespaces/";

interface Reply {
  readonly code: number;
  readonly body: unknown;
}

const resources: readonly (readonly [apiVersion: string, kind: string, resource: string])[] = [
  ["v1", "Pod", "pods"],
  ["v1", "Event", "events"],
  ["apps/v1", "Deployment", "deployments"],
  ["apps/v1", "StatefulSet", "statefulsets"],
  ["autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"],
  ["autoscaling.plimsoll.dev/v1alpha1", "WorkloadAutoscaler", "workloadautoscalers"],
  ["keda.sh/v1alpha1", "ScaledObject", "scaledobjects"],
  ["external.metrics.k8s.io/v1beta1", "ExternalMetricValueList", "externalmetrics"],
  ["custom.metrics.k8s.io/v1beta2", "MetricValueList", "metrics"],
  ["coordination.k8s.io/v1", "Lease", "leases"],
];
const endpointResource = ["explain.plimsoll.dev/v1", "SummaryRowList", "summary"] as const;

export type FakeCluster = ReturnType<typeof fakeCluster>;

export function fakeCluster(
  options: {
    readonly version?: string;
    readonly groups?: readonly string[];
    /** Whether an APIService registers the decisions endpoint. */
    readonly hasApiService?: boolean;
  } = {},
) {
  const { version = "v1.37.1" } = options;
  const objects = new Map<string, KubeObject>();
  const replies = new Map<string, Reply>();
  const requests: string[] = [];
  let denied: RegExp | undefined;

  const respond = (method: string, path: string, query: URLSearchParams): Reply => {
    requests.push(`${method} ${path}`);
    if (denied?.test(path) === true)
      return { code: 403, body: status(403, `${path} is forbidden: User "u" cannot read it`) };
    const reply = replies.get(path);
    if (reply !== undefined) return reply;
    if (path === "/version") return { code: 200, body: { gitVersion: version } };
    if (path === "/api" || path === "/apis") return { code: 200, body: discovery(path, options) };
    const object = objects.get(path);
    if (object !== undefined) return { code: 200, body: object };
    const items = listOf(objects, path, query.get("labelSelector") ?? "");
    if (items !== undefined) return { code: 200, body: { kind: "List", metadata: {}, items } };
    return { code: 404, body: status(404, `${path} not found`) };
  };

  return {
    requests,
    /** Adds objects, at the paths that their kinds have. */
    put(...added: readonly KubeObject[]) {
      for (const object of added) objects.set(pathOf(object), object);
    },
    /** The usage of pods, as metrics.k8s.io serves it. */
    usage(namespace: string, items: readonly object[]) {
      replies.set(`${podMetrics}${namespace}/pods`, { code: 200, body: { items } });
    },
    reply(path: string, body: unknown, code = 200) {
      replies.set(path, { code, body: code === 200 ? body : status(code, String(body)) });
    },
    deny(paths: RegExp) {
      denied = paths;
    },
    connection(clock: Clock): Connection {
      return {
        client: inProcessClient({
          clock,
          respond: ({ method, path, query }) => Promise.resolve(respond(method, path, query)),
        }),
        access: {
          server: "https://in-process",
          proxyUrl: undefined,
          credentials: {
            read: () => Promise.resolve({ headers: {}, tls: {} }),
            reload: () => Promise.resolve(),
          },
          context: { name: "test", cluster: "c", user: "u", namespace: undefined },
        },
      };
    },
  };
}

function status(code: number, message: string): object {
  return { kind: "Status", code, reason: code === 403 ? "Forbidden" : "NotFound", message };
}

function pathOf({ apiVersion = "", kind, metadata }: KubeObject): string {
  const resource = resources.find(([version, name]) => version === apiVersion && name === kind)?.[2] ?? "";
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${metadata.namespace ?? "default"}/${resource}/${metadata.name}`;
}

/** Undefined: no such collection. Labels by equality only. */
function listOf(
  objects: ReadonlyMap<string, KubeObject>,
  path: string,
  selector: string,
): readonly KubeObject[] | undefined {
  const known = resources.find(([apiVersion, , resource]) => {
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return path.startsWith(`${root}/`) && path.endsWith(`/${resource}`);
  });
  if (known === undefined) return undefined;
  const wanted = selector === "" ? [] : selector.split(",").map((part) => part.split("="));
  return [...objects]
    .filter(([at]) => at.slice(0, at.lastIndexOf("/")) === path || isOfCollection(at, path))
    .map(([, object]) => object)
    .filter(({ metadata }) => wanted.every(([key = "", value]) => metadata.labels?.[key] === value));
}

/** Whether an object belongs to a list of all namespaces. */
function isOfCollection(at: string, path: string): boolean {
  return !path.includes("/namespaces/") && at.replace(/\/namespaces\/[^/]+\//, "/").startsWith(`${path}/`);
}

function discovery(
  path: string,
  { groups, hasApiService }: NonNullable<Parameters<typeof fakeCluster>[0]>,
): object {
  const isCore = path === "/api";
  const served = hasApiService === true ? [...resources, endpointResource] : resources;
  const wanted = served.filter(([version]) => version.includes("/") !== isCore);
  const items = [...Map.groupBy(wanted, ([version]) => (isCore ? "" : (version.split("/")[0] ?? "")))]
    .filter(([group]) => groups === undefined || isCore || groups.includes(group))
    .map(([name, listed]) => ({
      metadata: { name },
      versions: [
        {
          version: listed[0]?.[0].split("/").at(-1) ?? "",
          resources: listed.map(([, kind, resource]) => ({
            resource,
            responseKind: { kind },
            scope: "Namespaced",
            verbs: ["get", "list"],
            subresources: kind === "Deployment" || kind === "StatefulSet" ? [{ subresource: "scale" }] : [],
          })),
        },
      ],
    }));
  return { kind: "APIGroupDiscoveryList", items };
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs the command against the cluster. */
export async function run(
  cluster: FakeCluster,
  args: readonly string[],
  seams: Partial<CliSeams> & { readonly terminal?: Terminal } = {},
): Promise<Ran> {
  let [out, errors] = ["", ""];
  const clock: Clock = { nowMs: () => nowMs, after: () => () => undefined };
  const code = await runCli({
    args,
    name: "plimsoll",
    version: "1.2.3",
    readText: () => Promise.reject(new Error("no file is read")),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => nowMs,
    clock,
    signal: new AbortController().signal,
    connect: () => Promise.resolve(cluster.connection(clock)),
    ...seams,
  });
  return { code, out, errors };
}
