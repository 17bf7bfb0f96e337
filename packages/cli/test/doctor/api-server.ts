// An API server as a function: lists in pages, single objects, and each request on record.
import type { Clock } from "@plimsoll/component-base";
import { systemClock } from "@plimsoll/component-base";
import type { Connection } from "@plimsoll/kube";
import { createByteStream, inProcessClient } from "@plimsoll/kube/testing";
import { runCli } from "../../src/index.ts";
import type { CliSeams } from "../../src/seams.ts";

export const nowMs = Date.parse("2026-11-22T10:30:00Z");

type Json = Readonly<Record<string, unknown>>;

/** API version, kind, plural, and "cluster" for what has no namespaces. */
const resources: readonly (readonly [
  apiVersion: string,
  kind: string,
  resource: string,
  scope?: "cluster",
])[] = [
  ["v1", "Pod", "pods"],
  ["v1", "Event", "events"],
  ["v1", "Node", "nodes", "cluster"],
  ["v1", "Namespace", "namespaces", "cluster"],
  ["v1", "ResourceQuota", "resourcequotas"],
  ["apps/v1", "Deployment", "deployments"],
  ["apps/v1", "StatefulSet", "statefulsets"],
  ["policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"],
  ["autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"],
  ["autoscaling.k8s.io/v1", "VerticalPodAutoscaler", "verticalpodautoscalers"],
  ["apiregistration.k8s.io/v1", "APIService", "apiservices", "cluster"],
  ["coordination.k8s.io/v1", "Lease", "leases"],
  ["metrics.k8s.io/v1beta1", "PodMetrics", "pods"],
  ["v1", "Service", "services"],
  ["v1", "ConfigMap", "configmaps"],
  ["autoscaling.plimsoll.dev/v1alpha1", "MetricRule", "metricrules"],
  ["custom.metrics.k8s.io/v1beta2", "MetricValueList", "http_requests"],
  ["external.metrics.k8s.io/v1beta1", "ExternalMetricValueList", "queue_depth"],
];

export type ApiServer = ReturnType<typeof apiServer>;

/** Pages have two objects, so that all lists have several. */
const pageSize = 2;

export function apiServer() {
  const objects = new Map<string, Json>();
  const replies = new Map<string, Json>();
  const texts = new Map<string, string>();
  const requests: string[] = [];
  const underWay = { now: 0, most: 0 };
  let denied: RegExp | undefined;

  const answer = (
    path: string,
    query: URLSearchParams,
  ): { readonly code: number; readonly body: unknown } => {
    if (denied?.test(path) === true)
      return { code: 403, body: status(403, `${path} is forbidden: User "u" cannot`) };
    if (path === "/version") return { code: 200, body: { gitVersion: "v1.37.1", major: "1", minor: "37" } };
    if (path === "/api" || path === "/apis") return { code: 200, body: discovery(path) };
    const found = replies.get(path) ?? objects.get(path);
    if (found !== undefined) return { code: 200, body: found };
    const items = itemsOf(objects, path);
    if (items === undefined) return { code: 404, body: status(404, `${path} not found`) };
    const from = Number(query.get("continue") ?? 0);
    const next = from + pageSize < items.length ? String(from + pageSize) : "";
    return {
      code: 200,
      body: { kind: "List", metadata: { continue: next }, items: items.slice(from, from + pageSize) },
    };
  };

  return {
    requests,
    underWay,
    put(...added: readonly Json[]) {
      for (const object of added) objects.set(pathOf(object), object);
    },
    reply(path: string, body: Json) {
      replies.set(path, body);
    },
    /** What a program behind the API server writes. */
    replyText(path: string, text: string) {
      texts.set(path, text);
    },
    deny(paths: RegExp) {
      denied = paths;
    },
    connect(clock: Clock): Connection {
      const client = inProcessClient({
        clock,
        async respond({ path, query }) {
          requests.push(`${path}${query.has("continue") ? ` from ${query.get("continue") ?? ""}` : ""}`);
          underWay.now += 1;
          underWay.most = Math.max(underWay.most, underWay.now);
          await Promise.resolve();
          underWay.now -= 1;
          const text = denied?.test(path) === true ? undefined : texts.get(path);
          return text === undefined ? answer(path, query) : { code: 200, body: text, stream: streamOf(text) };
        },
      });
      const credentials = {
        read: () => Promise.resolve({ headers: {}, tls: {} }),
        reload: () => Promise.resolve(),
      };
      const context = { name: "test", cluster: "c", user: "u", namespace: undefined };
      return { client, access: { server: client.server, proxyUrl: undefined, credentials, context } };
    },
  };
}

function streamOf(text: string) {
  return Object.assign(createByteStream(), {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield Buffer.from(text);
    },
  });
}

function status(code: number, message: string): Json {
  return { kind: "Status", code, reason: code === 403 ? "Forbidden" : "NotFound", message };
}

function root(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function pathOf(object: Json): string {
  const { name, namespace } = object["metadata"] as { readonly name: string; readonly namespace?: string };
  const found = resources.find(
    ([version, kind]) => version === object["apiVersion"] && kind === object["kind"],
  );
  if (found === undefined) throw new Error(`no resource of kind ${String(object["kind"])}`);
  const place = found[3] === "cluster" ? "" : `/namespaces/${namespace ?? "default"}`;
  return `${root(found[0])}${place}/${found[2]}/${name}`;
}

function itemsOf(objects: ReadonlyMap<string, Json>, path: string): readonly Json[] | undefined {
  const isKnown = resources.some(
    ([apiVersion, , resource]) => path.startsWith(`${root(apiVersion)}/`) && path.endsWith(`/${resource}`),
  );
  if (!isKnown) return undefined;
  const isOfAll = !path.includes("/namespaces/");
  return [...objects]
    .map(([at, object]) => ({ at: at.slice(0, at.lastIndexOf("/")), object }))
    .filter(({ at }) => (isOfAll ? at.replace(/\/namespaces\/[^/]+/, "") : at) === path)
    .map(({ object }) => object);
}

function discovery(path: string): Json {
  const isCore = path === "/api";
  const wanted = resources.filter(([version]) => version.includes("/") !== isCore);
  const groups = Map.groupBy(wanted, ([version]) => (isCore ? "" : (version.split("/")[0] ?? "")));
  const items = [...groups].map(([name, listed]) => ({
    metadata: { name },
    versions: [
      {
        version: listed[0]?.[0].split("/").at(-1) ?? "",
        resources: listed.map(([, kind, resource, scope]) => ({
          resource,
          responseKind: { kind },
          scope: scope === "cluster" ? "Cluster" : "Namespaced",
          verbs: ["get", "list"],
        })),
      },
    ],
  }));
  return { kind: "APIGroupDiscoveryList", items };
}

/** Runs `plimsoll doctor` against the server. */
export async function doctor(
  server: ApiServer,
  args: readonly string[],
  seams: Partial<CliSeams> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await runCli({
    // The server has no endpoint of decisions, and what looks for one has tests of its own.
    args: ["doctor", "--via=none", ...args],
    name: "plimsoll",
    version: "1.2.3",
    readText: () => Promise.reject(new Error("no file")),
    writeOut: (part) => (out += part),
    writeError: (part) => (err += part),
    nowMs: () => nowMs,
    signal: new AbortController().signal,
    connect: () => Promise.resolve(server.connect(systemClock)),
    ...seams,
  });
  return { code, out, err };
}
