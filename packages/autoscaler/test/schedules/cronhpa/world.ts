import type { Clock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import type { CronHpaDefaults } from "@plimsoll/core/cronhpa";
import { ApiError, type Change, type KubeObject, type KubeRequest } from "@plimsoll/kube";
import { silentLog } from "@plimsoll/testbed/world";
import { fakeClient, resourceInfo } from "@plimsoll/testbed/world/cluster";
import { createCronHpaController } from "../../../src/schedules/cronhpa/controller.ts";
import {
  type CronHpa,
  type CronHpaCondition,
  projectCronHpa,
} from "../../../src/schedules/cronhpa/cron-hpa.ts";

const cronPath = "/apis/autoscaling.alibabacloud.com/v1beta1/namespaces/default/cronhorizontalpodautoscalers";
const hpaPath = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const deploymentPath = "/apis/apps/v1/namespaces/default/deployments";
const nothing = { seen: () => true, doubt: () => {} };

export interface RecordedEvent {
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

type Stored = KubeObject & Record<string, unknown>;

/** A cluster in memory under a clock of its own, and processes that come, go and die in it. */
export function createWorld(startAt: string) {
  const clock = manualClock(Date.parse(startAt));
  const objects = new Map<string, Stored>();
  const listeners = new Set<(change: Change<CronHpa>) => void>();
  const requests: string[] = [];
  const events: RecordedEvent[] = [];
  let version = 100;
  let ids = 0;
  /** Throws what a request is to fail with. */
  let fault: (request: KubeRequest) => void = () => {};

  function put(path: string, object: object): Stored {
    version += 1;
    const before = objects.get(path);
    const name = path.split("/").at(-1) ?? "";
    const wanted = object as Stored;
    const stored: Stored = {
      ...wanted,
      metadata: {
        name,
        namespace: "default",
        ...(wanted.metadata as object | undefined),
        uid: before?.metadata.uid ?? `uid-${version}`,
        resourceVersion: String(version),
      },
    };
    objects.set(path, stored);
    if (path.startsWith(cronPath)) notify(before === undefined ? "added" : "modified", stored, before);
    return stored;
  }

  function notify(type: Change<CronHpa>["type"], raw: Stored, before?: Stored): void {
    const previous = before === undefined ? {} : { previous: projectCronHpa(before) };
    for (const listener of listeners) listener({ type, object: projectCronHpa(raw), ...previous });
  }

  function answer({ method = "GET", path, body }: KubeRequest): unknown {
    const isScale = path.endsWith("/scale");
    const key = isScale ? path.slice(0, -"/scale".length) : path;
    const stored = objects.get(key);
    if (stored === undefined) throw notFound(key);
    const wanted = (body ?? {}) as Stored;
    const expected = wanted.metadata?.resourceVersion;
    if (method !== "GET" && expected !== undefined && expected !== stored.metadata.resourceVersion)
      throw new ApiError({ code: 409, reason: "Conflict", message: `${key} has been modified` });
    if (isScale) {
      const replicas = (from: unknown) => (from as { replicas: number }).replicas;
      const now =
        method === "PUT" ? put(key, { ...stored, spec: { replicas: replicas(wanted["spec"]) } }) : stored;
      return { metadata: now.metadata, spec: { replicas: replicas(now["spec"]) }, status: {} };
    }
    if (method === "GET") return stored;
    return put(key, merged(stored, { ...wanted, metadata: {} }) as object);
  }

  /** One process: the controller and its way to the server, which may break. */
  function start(
    settings: {
      readonly defaults?: Partial<CronHpaDefaults>;
      readonly missedRunsMs?: number;
      readonly clock?: Clock;
    } = {},
  ) {
    let isAlive = true;
    let holds = true;
    let isLeaseValid = true;
    let requestsLeft = Number.POSITIVE_INFINITY;
    const client = fakeClient(async (request) => {
      await Promise.resolve();
      requestsLeft -= 1;
      if (requestsLeft <= 0) isAlive = false;
      if (!isAlive) return new Promise(() => {});
      requests.push(`${request.method ?? "GET"} ${request.path.split("/").slice(-2).join("/")}`);
      fault(request);
      return answer(request);
    });
    const controller = createCronHpaController({
      settings: {
        timeZone: "UTC",
        bounds: "Move",
        missedRunsMs: settings.missedRunsMs ?? 3_600_000,
        ...settings.defaults,
      },
      objects: { subscribe: (listener) => void listeners.add((change) => isAlive && listener(change)) },
      reading: client,
      scale: { client, mapper, targets: nothing },
      events: {
        record: (regarding, event) => isAlive && events.push({ object: regarding.name ?? "", ...event }),
      },
      clock: settings.clock ?? clock,
      log: silentLog,
      owns: () => isAlive && holds && isLeaseValid,
      has: () => isAlive && holds,
      random: () => 0.5,
      newId: () => `id-${(ids += 1)}`,
    });
    for (const [path, raw] of objects) if (path.startsWith(cronPath)) notify("added", raw);
    controller.start();
    return {
      /** It dies at once, or in the middle of its next requests. */
      kill: (afterRequests = 0) => {
        if (afterRequests === 0) isAlive = false;
        else requestsLeft = afterRequests;
      },
      /** The lease becomes invalid for a moment, or valid again. */
      setLease: (isValid: boolean) => void (isLeaseValid = isValid),
      loseLease() {
        holds = false;
        controller.lost();
      },
      gainLease() {
        holds = true;
        controller.gained();
      },
      get isAlive() {
        return isAlive;
      },
      stop: () => controller.stop(),
    };
  }

  const conditions = (name = "jobs") =>
    (
      objects.get(`${cronPath}/${name}`) as
        | { status?: { conditions?: readonly CronHpaCondition[] } }
        | undefined
    )?.status?.conditions ?? [];

  const deployment = (replicas: number, name = "shop") =>
    put(`${deploymentPath}/${name}`, { spec: { replicas } });

  const cronHpa = (
    spec: object,
    settings: { name?: string; annotations?: Record<string, string>; status?: object } = {},
  ): Stored => {
    const { name = "jobs", annotations, status } = settings;
    const path = `${cronPath}/${name}`;
    const known = objects.get(path)?.["status"];
    const kept = status ?? known;
    return put(path, {
      metadata: annotations === undefined ? {} : { annotations },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" }, ...spec },
      ...(kept === undefined ? {} : { status: kept }),
    });
  };

  return {
    clock,
    requests,
    events,
    start,
    conditions,
    deployment,
    cronHpa,
    /** A Deployment with this number of replicas, and jobs for it. */
    scheduled(replicas: number, jobs: readonly object[]) {
      deployment(replicas);
      cronHpa({ jobs });
    },
    condition: (job: string, name = "jobs") => conditions(name).find((condition) => condition.name === job),
    /** Until then the time passes step by step, so that timers run when they should. */
    until: (at: string) => clock.advance(Date.parse(at) - clock.nowMs()),
    failWith(on: (request: KubeRequest) => void) {
      fault = on;
    },
    deleteCronHpa(name = "jobs") {
      const path = `${cronPath}/${name}`;
      const raw = objects.get(path);
      objects.delete(path);
      if (raw !== undefined) notify("deleted", raw);
    },
    replicas: (name = "shop") =>
      (objects.get(`${deploymentPath}/${name}`)?.["spec"] as { replicas?: number } | undefined)?.replicas,
    hpa(bounds: { minReplicas: number; maxReplicas: number; currentReplicas: number }) {
      const { currentReplicas, ...spec } = bounds;
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
      put(`${hpaPath}/shop`, { spec: { scaleTargetRef, ...spec }, status: { currentReplicas } });
    },
    bounds() {
      const { minReplicas, maxReplicas } = (objects.get(`${hpaPath}/shop`)?.["spec"] ?? {}) as Record<
        string,
        number
      >;
      return [minReplicas, maxReplicas];
    },
    deleteHpa: () => void objects.delete(`${hpaPath}/shop`),
    deleteDeployment: () => void objects.delete(`${deploymentPath}/shop`),
  };
}

const mapper = {
  byKind: (group: string, kind: string) =>
    Promise.resolve([resourceInfo()].filter((info) => info.group === group && info.kind === kind)),
  byResource: () => Promise.resolve(undefined),
  groupVersions: () => Promise.resolve([]),
  refresh: () => Promise.resolve(),
  problem: () => undefined,
};

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function notFound(path: string): ApiError {
  return new ApiError({ code: 404, reason: "NotFound", message: `${path.split("/").at(-1)} not found` });
}
