// What the fake API server responds when no script does: discovery, metrics, objects and scales.
import { discover } from "./discovery.ts";
import type { FakeObject, FakeObjects } from "./objects.ts";
import { type Place, place } from "./resources.ts";
import { conflict, failure, notFound, type Reply } from "./responses.ts";

/** One request. */
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

/** What answers are computed from. */
export interface Stage {
  readonly objects: FakeObjects;
  readonly metrics: ReadonlyMap<string, unknown>;
  readonly groups: ReadonlySet<string>;
  readonly scaled: Scaled[];
  readonly nowMs: () => number;
}

export function answer(recorded: Recorded, stage: Stage): Reply {
  const { path } = recorded;
  const document = discover(path, stage.groups) ?? stage.metrics.get(path);
  if (document !== undefined) return { code: 200, body: document };
  const at = place(path);
  return at === undefined ? notFound() : answerObject(recorded, at, stage);
}

function answerObject(recorded: Recorded, at: Place, stage: Stage): Reply {
  const { method } = recorded;
  const { objects } = stage;
  if (method === "GET" && at.name === undefined) {
    const items = objects.list(at.resource, at.namespace);
    return {
      code: 200,
      body: { kind: "List", metadata: { resourceVersion: String(objects.version) }, items },
    };
  }
  if (method === "POST") {
    const object = recorded.body as FakeObject;
    const name = object.metadata.name ?? `${String(object.metadata["generateName"])}${objects.version}`;
    return {
      code: 201,
      body: objects.put(at.resource, { ...object, metadata: { ...object.metadata, name } }),
    };
  }
  const stored = objects.find(at.resource, at.namespace, at.name ?? "");
  if (stored === undefined) {
    const kind = `${at.resource}${at.group === "" ? "" : `.${at.group}`}`;
    return failure(404, "NotFound", `${kind} "${at.name}" not found`);
  }
  if (at.subresource === "scale") return answerScale(recorded, stored, stage);
  return method === "GET" ? { code: 200, body: stored } : change(recorded, at, stored, objects);
}

function change({ method, body }: Recorded, at: Place, stored: FakeObject, objects: FakeObjects): Reply {
  if (method === "DELETE") {
    objects.remove(at.resource, at.namespace ?? "", at.name ?? "");
    return { code: 200, body: stored };
  }
  const sent = body as FakeObject;
  if (method === "PATCH") {
    return { code: 200, body: objects.put(at.resource, { ...stored, ...sent, metadata: stored.metadata }) };
  }
  if (isStale(stored, sent)) return conflict(at.resource, at.name);
  const next =
    at.subresource === "status" ? { ...sent, spec: stored.spec } : { ...sent, status: stored.status };
  return { code: 200, body: objects.put(at.resource, next) };
}

function answerScale(recorded: Recorded, owner: FakeObject, { objects, scaled, nowMs }: Stage): Reply {
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
  return { code: 200, body: scaleOf(objects.put("deployments", { ...owner, metadata, spec })) };
}

function scaleOf(owner: FakeObject): FakeObject {
  const { replicas, selector } = owner.spec as {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
  };
  const status = owner.status as { replicas?: number } | undefined;
  const pairs = Object.entries(selector.matchLabels).map(([key, value]) => `${key}=${value}`);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { ...owner.metadata, managedFields: undefined },
    spec: { replicas },
    status: {
      replicas: status?.replicas ?? replicas,
      selector: pairs.join(","),
    },
  };
}

function isStale(stored: FakeObject, body: FakeObject): boolean {
  const wanted = body.metadata["resourceVersion"];
  return wanted !== undefined && wanted !== stored.metadata["resourceVersion"];
}
