import { readInline, shareSchedules } from "@plimsoll/calendars";
import { createEntryMeter } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { ApiError, type KubeObject, type KubeRequest } from "@plimsoll/kube";
import { fakeClient } from "@plimsoll/testbed/world/cluster";
import { projectHpa, type ScalingObject } from "../../../src/objects/scaling-object.ts";
import { projectWla } from "../../../src/objects/workload-autoscaler.ts";
import { createBoundsController } from "../../../src/schedules/hpa-bounds/controller.ts";
import { fakeWatch } from "../fake-watch.ts";

const hpaPath = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const wlaPath = "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers";

type Stored = KubeObject & { spec: Record<string, unknown>; status?: Record<string, unknown> };

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** HPAs and WorkloadAutoscalers in memory under a clock that can be set; no other manager owns any field. */
export function createBoundsWorld(startAt = "2026-03-02T10:00:00Z", calendarDirectory?: string) {
  const timers = manualClock(Date.parse(startAt));
  let aheadMs = 0;
  const clock = { ...timers, nowMs: () => timers.nowMs() + aheadMs };
  const objects = new Map<string, Stored>();
  const requests: { readonly verb: string; readonly path: string }[] = [];
  const events: { readonly object: string; readonly reason: string; readonly message: string }[] = [];
  const warnings: string[] = [];
  let version = 100;
  let fault: (request: KubeRequest) => void = () => {};
  let isOwned = true;
  let isLeaseValid = true;
  let onStored: (request: KubeRequest) => void = () => {};

  const hpas = watchOf(hpaPath, projectHpa);
  const wlas = watchOf(wlaPath, (raw) => projectWla(raw));

  function watchOf(prefix: string, project: (raw: KubeObject) => ScalingObject) {
    const { watch, set, remove } = fakeWatch();
    const notify = (path: string): void => {
      const raw = objects.get(path);
      const name = path.slice(prefix.length + 1);
      const previous = watch.get("default", name);
      if (raw !== undefined) set(project(raw));
      else if (previous !== undefined) remove(previous);
    };
    return { watch, notify };
  }

  function notified(path: string): void {
    (path.startsWith(hpaPath) ? hpas : wlas).notify(path);
  }

  function put(path: string, object: Stored): Stored {
    version += 1;
    const before = objects.get(path);
    const isEdited = JSON.stringify(before?.spec) !== JSON.stringify(object.spec);
    const stored: Stored = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata.uid ?? `uid-${version}`,
        resourceVersion: String(version),
        generation: (before?.metadata.generation ?? 0) + (isEdited ? 1 : 0),
      },
    };
    const { deletionTimestamp, finalizers = [] } = stored.metadata as {
      deletionTimestamp?: string;
      finalizers?: readonly string[];
    };
    if (deletionTimestamp !== undefined && finalizers.length === 0) objects.delete(path);
    else objects.set(path, stored);
    return stored;
  }

  function answer({ method = "GET", path, body, contentType }: KubeRequest): unknown {
    const key = path.replace(/\/status$/, "");
    const stored = objects.get(key);
    if (stored === undefined) throw new ApiError({ code: 404, reason: "NotFound", message: "not found" });
    if (method === "GET" || contentType === "application/json-patch+json") return stored;
    const wanted = body as Stored;
    if (path.endsWith("/status")) return written(key, { ...stored, ...pick(wanted) });
    const { annotations: _, ...metadata } = stored.metadata;
    const next =
      contentType === "application/apply-patch+yaml"
        ? { ...stored, metadata: { ...metadata, annotations: wanted.metadata.annotations ?? {} } }
        : { ...stored, metadata: { ...stored.metadata, ...wanted.metadata } };
    return written(key, { ...next, spec: { ...stored.spec, ...wanted.spec } });
  }

  function pick({ status }: Stored): Pick<Stored, "status"> {
    return status === undefined ? {} : { status };
  }

  function written(path: string, object: Stored): Stored {
    const stored = put(path, object);
    notified(path);
    return stored;
  }

  const client = fakeClient(async (request) => {
    await Promise.resolve();
    requests.push({
      verb: request.method ?? "GET",
      path: request.path.split("/").slice(6).join("/"),
    });
    fault(request);
    const result = answer(request);
    onStored(request);
    return result;
  });
  let onEvent: (object: string) => void = () => {};
  const meter = createEntryMeter();
  const controller = createBoundsController({
    meter,
    hpas: hpas.watch,
    wlas: wlas.watch,
    client,
    events: {
      record({ name: object = "" }, { reason, message }) {
        onEvent(object);
        events.push({ object, reason, message });
      },
    },
    clock,
    log: {
      debug: () => {},
      info: () => {},
      warn: (_, message) => void warnings.push(message),
      error: (fields, message) => void warnings.push(`${message}: ${JSON.stringify(fields)}`),
    },
    owns: () => isOwned && isLeaseValid,
    has: () => isOwned,
    random: () => 0.5,
    schedules: shareSchedules({ clock, calendarDirectory, runTask: readInline }),
    disputeWaits: { baseMs: 300_000, maxMs: 3_600_000 },
  });

  return {
    clock,
    requests,
    events,
    warnings,
    /** The keys of what is kept by object; of WorkloadAutoscalers "wla:NAME" or their uids. */
    kept: () => [...meter.keys().values()].flat(),
    start: controller.start,
    /** The lease becomes invalid for a moment, or valid again. */
    setLease: (isValid: boolean) => void (isLeaseValid = isValid),
    /** Another process has the lease. */
    lose() {
      isOwned = false;
      controller.lost();
    },
    stop: controller.stop,
    /** The wall clock is set; timers do not notice. */
    setTime: (at: string) => void (aheadMs = Date.parse(at) - timers.nowMs()),
    failWith: (on: (request: KubeRequest) => void) => void (fault = on),
    /** Called before an event of an object is recorded. */
    beforeEvent: (on: (object: string) => void) => void (onEvent = on),
    /** Called after a request took effect, before its response arrives. */
    beforeResponse: (on: (request: KubeRequest) => void) => void (onStored = on),
    hpa(name = "shop", spec: object = {}) {
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
      written(`${hpaPath}/${name}`, {
        metadata: { name, namespace: "default" },
        spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 10, ...spec },
      });
    },
    wla(name: string, spec: object = {}) {
      const scaleTargetRef = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "shop" };
      const path = `${wlaPath}/${name}`;
      const known = objects.get(path);
      written(path, {
        metadata: { ...known?.metadata, name, namespace: "default" },
        ...(known?.status === undefined ? {} : { status: known.status }),
        spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 30, schedules: [office], ...spec },
      });
    },
    deleteWla(name: string) {
      const path = `${wlaPath}/${name}`;
      const stored = objects.get(path);
      if (stored === undefined) return;
      const deletionTimestamp = new Date(clock.nowMs()).toISOString();
      written(path, { ...stored, metadata: { ...stored.metadata, deletionTimestamp } });
    },
    /** Another client removes the finalizers. */
    release(name: string) {
      const path = `${wlaPath}/${name}`;
      const stored = objects.get(path);
      if (stored !== undefined)
        written(path, { ...stored, metadata: { ...stored.metadata, finalizers: [] } as Stored["metadata"] });
    },
    deleteHpa(name = "shop") {
      objects.delete(`${hpaPath}/${name}`);
      notified(`${hpaPath}/${name}`);
    },
    stored: (name: string) => objects.get(`${wlaPath}/${name}`),
    bounds(name = "shop") {
      const { minReplicas, maxReplicas } = objects.get(`${hpaPath}/${name}`)?.spec ?? {};
      return [minReplicas, maxReplicas];
    },
    condition(type: string, name: string) {
      const { conditions = [] } = (objects.get(`${wlaPath}/${name}`)?.status ?? {}) as {
        conditions?: readonly Condition[];
      };
      return conditions.find((condition) => condition.type === type);
    },
  };
}

/** One HPA and the schedules for it are there, and the controller runs for a while. */
export async function begin(world: ReturnType<typeof createBoundsWorld>, forMs = 1000): Promise<void> {
  world.hpa();
  world.wla("hours");
  world.start();
  await world.clock.advance(forMs);
}

export const office = {
  name: "office",
  timeZone: "UTC",
  start: "0 9 * * *",
  end: "0 18 * * *",
  minReplicas: 8,
};

/** As an API server says it. */
export function forbidden(verb: string, resource: string): ApiError {
  const message = `${resource} is forbidden: User "autoscaler" cannot ${verb} resource "${resource}"`;
  return new ApiError({ code: 403, reason: "Forbidden", message });
}
