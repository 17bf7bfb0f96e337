import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Just enough of an API server to gather from and to act on, with every request on record and any answer scripted. */

// biome-ignore format: one line reads best
export interface FakeObject { apiVersion?: string; kind?: string; metadata: Record<string, unknown> & { name: string; namespace?: string }; spec?: unknown; status?: unknown; [field: string]: unknown }

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Of the client; a test gives each process its own. */
  readonly agent: string;
}

/** A change of a count through the scale subresource that was carried out. */
export interface Scaled {
  readonly atMs: number;
  /** "namespace/name" of the Deployment. */
  readonly target: string;
  readonly from: number;
  readonly to: number;
  readonly agent: string;
}

export interface Reply {
  readonly code: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the answer byte by byte instead, or not at all. */
  readonly send?: (response: ServerResponse) => void;
}

interface Script {
  readonly method: string;
  readonly path: RegExp;
  times: number;
  readonly reply: (request: Recorded) => Reply | undefined | Promise<Reply | undefined>;
}

const served: readonly { readonly path: string; readonly resource: string; readonly kind: string }[] = [
  { path: "/apis/autoscaling/v2", resource: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" },
  {
    path: "/apis/autoscaling.plimsoll.dev/v1alpha1",
    resource: "workloadautoscalers",
    kind: "WorkloadAutoscaler",
  },
  { path: "/apis/apps/v1", resource: "deployments", kind: "Deployment" },
  { path: "/apis/coordination.k8s.io/v1", resource: "leases", kind: "Lease" },
  { path: "/apis/networking.k8s.io/v1", resource: "ingresses", kind: "Ingress" },
  { path: "/api/v1", resource: "pods", kind: "Pod" },
  { path: "/api/v1", resource: "events", kind: "Event" },
];

export type FakeApi = Awaited<ReturnType<typeof startFakeApi>>;

/** `nowMs`: what the API server takes for the time. */
export async function startFakeApi(nowMs: () => number = Date.now) {
  const objects = new Map<string, FakeObject>();
  const watchers = new Set<{ resource: string; namespace: string | undefined; response: ServerResponse }>();
  const requests: Recorded[] = [];
  const scaled: Scaled[] = [];
  const scripts: Script[] = [];
  const metrics = new Map<string, unknown>();
  const groups = new Set([
    "metrics.k8s.io/v1beta1",
    "custom.metrics.k8s.io/v1beta2",
    "external.metrics.k8s.io/v1beta1",
  ]);
  let version = 1000;
  let uid = 0;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      reply(response, failure(500, "InternalError", String(error)));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-autoscaler-"));
  const kubeconfig = await kubeconfigOf(undefined);

  return {
    url,
    kubeconfig,
    kubeconfigOf,
    outage,
    requests,
    scaled,
    metrics,
    groups,
    put,
    get,
    list,
    remove,
    script,
    stop,
    cutWatches,
    restore,
    count,
  };

  /** As a restore of etcd from a backup: versions go back, and clients have to list again. */
  function restore(toVersion: number): void {
    version = toVersion;
    for (const [key, object] of objects) {
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      objects.set(key, { ...object, metadata });
    }
    cutWatches();
  }

  /** A file for a client of this name, which its requests are then recorded under. */
  async function kubeconfigOf(agent: string | undefined): Promise<string> {
    const file = join(folder, `kubeconfig-${agent ?? "no-agent"}`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "fake", cluster: { server: url } }],
      users: [{ name: "user", user: agent === undefined ? {} : { token: agent } }],
      contexts: [{ name: "fake", context: { cluster: "fake", user: "user" } }],
      "current-context": "fake",
    };
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await rm(folder, { recursive: true });
  }

  /** Refuses all connections until the returned function is called. */
  async function outage(): Promise<() => Promise<void>> {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
    return () =>
      new Promise((resolve) => {
        server.listen(Number(new URL(url).port), "127.0.0.1", resolve);
      });
  }

  /** Creates or replaces an object, as another client would. */
  function put(resource: string, object: FakeObject): FakeObject {
    const key = keyOf(resource, object.metadata.namespace, object.metadata.name);
    const known = objects.get(key);
    version += 1;
    const stored: FakeObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: known?.metadata["uid"] ?? `uid-${++uid}`,
        resourceVersion: String(version),
      },
    };
    objects.set(key, stored);
    notifyWatches(resource, known === undefined ? "ADDED" : "MODIFIED", stored);
    return stored;
  }

  function get(resource: string, namespace: string, name: string): FakeObject {
    const found = objects.get(keyOf(resource, namespace, name));
    if (found === undefined) throw new Error(`no ${resource} ${namespace}/${name}`);
    return found;
  }

  function list(resource: string, namespace?: string): readonly FakeObject[] {
    return [...objects]
      .filter(([key]) => key.startsWith(`${resource}|${namespace === undefined ? "" : `${namespace}|`}`))
      .map(([, object]) => object);
  }

  function remove(resource: string, namespace: string, name: string): void {
    const key = keyOf(resource, namespace, name);
    const known = objects.get(key);
    if (known === undefined) return;
    objects.delete(key);
    version += 1;
    notifyWatches(resource, "DELETED", {
      ...known,
      metadata: { ...known.metadata, resourceVersion: String(version) },
    });
  }

  /** The next `times` requests that match get this answer; undefined lets one through after all. */
  function script(method: string, path: RegExp, answer: Script["reply"], times = 1): void {
    scripts.push({ method, path, times, reply: answer });
  }

  function cutWatches(): void {
    for (const { response } of watchers) response.destroy();
    watchers.clear();
  }

  function count(method: string, path: RegExp): number {
    return requests.filter((request) => request.method === method && path.test(request.path)).length;
  }

  function notifyWatches(resource: string, type: string, object: FakeObject): void {
    for (const watcher of watchers) {
      if (watcher.resource !== resource) continue;
      if (watcher.namespace !== undefined && watcher.namespace !== object.metadata.namespace) continue;
      watcher.response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = new URL(request.url ?? "/", url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const recorded: Recorded = {
      method: request.method ?? "GET",
      path: decodeURIComponent(parsed.pathname),
      query: parsed.searchParams,
      body: text === "" ? undefined : JSON.parse(text),
      agent: request.headers.authorization?.replace("Bearer ", "") ?? request.headers["user-agent"] ?? "",
    };
    requests.push(recorded);
    const found = scripts.find(
      ({ method, path, times }) => times > 0 && method === recorded.method && path.test(recorded.path),
    );
    if (found !== undefined) {
      found.times -= 1;
      const scripted = await found.reply(recorded);
      if (scripted !== undefined) {
        reply(response, scripted);
        return;
      }
    }
    if (recorded.query.get("watch") === "true" || recorded.query.get("watch") === "1")
      watch(recorded, response);
    else reply(response, answer(recorded));
  }

  function watch(recorded: Recorded, response: ServerResponse): void {
    const at = place(recorded.path);
    if (at === undefined) return reply(response, notFound());
    if (Number(recorded.query.get("resourceVersion") ?? "0") > version) {
      return reply(response, failure(410, "Expired", "too old resource version"));
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const watcher = { resource: at.resource, namespace: at.namespace, response };
    watchers.add(watcher);
    response.on("close", () => watchers.delete(watcher));
    const since = Number(recorded.query.get("resourceVersion") ?? "0");
    for (const object of list(at.resource, at.namespace)) {
      if (Number(object.metadata["resourceVersion"]) > since) {
        response.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
      }
    }
  }

  function answer(recorded: Recorded): Reply {
    const { method, path } = recorded;
    const discovered = discover(path);
    if (discovered !== undefined) return { code: 200, body: discovered };
    const served = metrics.get(path);
    if (served !== undefined) return { code: 200, body: served };
    const at = place(path);
    if (at === undefined) return notFound();
    if (method === "GET" && at.name === undefined) {
      const items = list(at.resource, at.namespace);
      return { code: 200, body: { kind: "List", metadata: { resourceVersion: String(version) }, items } };
    }
    if (method === "POST") {
      const object = recorded.body as FakeObject;
      const name = object.metadata.name ?? `${String(object.metadata["generateName"])}${version}`;
      return { code: 201, body: put(at.resource, { ...object, metadata: { ...object.metadata, name } }) };
    }
    const stored = objects.get(keyOf(at.resource, at.namespace, at.name ?? ""));
    if (stored === undefined) {
      return failure(
        404,
        "NotFound",
        `${at.resource}${at.group === "" ? "" : `.${at.group}`} "${at.name}" not found`,
      );
    }
    if (at.subresource === "scale") return scale(recorded, stored);
    if (method === "GET") return { code: 200, body: stored };
    if (method === "DELETE") {
      remove(at.resource, at.namespace ?? "", at.name ?? "");
      return { code: 200, body: stored };
    }
    const body = recorded.body as FakeObject;
    if (method === "PATCH")
      return { code: 200, body: put(at.resource, { ...stored, ...body, metadata: stored.metadata }) };
    if (isStale(stored, body)) return conflict(at.resource, at.name);
    const next =
      at.subresource === "status" ? { ...body, spec: stored.spec } : { ...body, status: stored.status };
    return { code: 200, body: put(at.resource, next) };
  }

  function scale(recorded: Recorded, owner: FakeObject): Reply {
    const body = recorded.body as FakeObject | undefined;
    if (recorded.method === "GET") return { code: 200, body: scaleOf(owner) };
    if (body === undefined || isStale(owner, body)) return conflict("deployments", owner.metadata.name);
    const { replicas } = body.spec as { replicas: number };
    const atMs = nowMs();
    const { namespace = "", name } = owner.metadata;
    const from = (owner.spec as { replicas: number }).replicas;
    scaled.push({ atMs, target: `${namespace}/${name}`, from, to: replicas, agent: recorded.agent });
    const wrote = {
      manager: recorded.query.get("fieldManager") ?? recorded.agent,
      operation: "Update",
      subresource: "scale",
      time: new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z"),
      fieldsV1: { "f:spec": { "f:replicas": {} } },
    };
    const metadata = { ...owner.metadata, managedFields: [wrote] };
    const spec = { ...(owner.spec as object), replicas };
    return { code: 200, body: scaleOf(put("deployments", { ...owner, metadata, spec })) };
  }

  function discover(path: string): unknown {
    const all = new Set([...served.map((item) => item.path.replace(/^\/apis?\//, "")), ...groups]);
    if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
    if (path === "/apis") {
      const names = [
        ...new Set([...all].filter((gv) => gv.includes("/")).map((gv) => gv.split("/")[0] ?? "")),
      ];
      return {
        kind: "APIGroupList",
        groups: names.map((name) => {
          const versions = [...all]
            .filter((gv) => gv.startsWith(`${name}/`))
            .map((groupVersion) => ({ groupVersion, version: groupVersion.split("/")[1] }));
          return { name, versions, preferredVersion: versions[0] };
        }),
      };
    }
    const groupVersion = path.replace(/^\/apis?\//, "");
    if (path.split("/").length > 4 || !all.has(groupVersion)) return undefined;
    const resources = served
      .filter((item) => item.path === path)
      .flatMap(({ resource, kind }) => [
        {
          name: resource,
          singularName: kind.toLowerCase(),
          namespaced: true,
          kind,
          verbs: ["get", "list", "watch"],
        },
        ...(kind === "Deployment"
          ? [
              {
                name: `${resource}/scale`,
                namespaced: true,
                group: "autoscaling",
                version: "v1",
                kind: "Scale",
                verbs: ["get", "update"],
              },
            ]
          : []),
      ]);
    return { kind: "APIResourceList", groupVersion, resources };
  }
}

function scaleOf(owner: FakeObject): FakeObject {
  const { replicas, selector } = owner.spec as {
    replicas: number;
    selector: string | { matchLabels: Record<string, string> };
  };
  const status = owner.status as { replicas?: number } | undefined;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { ...owner.metadata, managedFields: undefined },
    spec: { replicas },
    status: {
      replicas: status?.replicas ?? replicas,
      selector:
        typeof selector === "string"
          ? selector
          : Object.entries(selector.matchLabels)
              .map(([key, value]) => `${key}=${value}`)
              .join(","),
    },
  };
}

interface Place {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function place(path: string): Place | undefined {
  const base = served.find((item) => path.startsWith(`${item.path}/`) && path.includes(`/${item.resource}`));
  if (base === undefined) return undefined;
  const rest = path.slice(base.path.length + 1).split("/");
  const [, namespace] = rest[0] === "namespaces" ? rest : [];
  const [, name, subresource] = namespace === undefined ? rest : rest.slice(2);
  const group = base.path.startsWith("/apis/") ? (base.path.split("/")[2] ?? "") : "";
  return { group, resource: base.resource, namespace, name, subresource };
}

function keyOf(resource: string, namespace: string | undefined, name: string): string {
  return `${resource}|${namespace ?? ""}|${name}`;
}

function isStale(stored: FakeObject, body: FakeObject): boolean {
  const wanted = body.metadata["resourceVersion"];
  return wanted !== undefined && wanted !== stored.metadata["resourceVersion"];
}

export function failure(code: number, reason: string, message: string): Reply {
  return { code, body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message } };
}

export function conflict(resource: string, name: string | undefined): Reply {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified`,
  );
}

function notFound(): Reply {
  return { code: 404, body: "404 page not found" };
}

function reply(response: ServerResponse, { code, body, headers, send }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  if (send !== undefined) return send(response);
  const isText = typeof body === "string";
  response.writeHead(code, { "content-type": isText ? "text/plain" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
