// Faults of pods: they crash, hang, are evicted or deleted, alone or with their node.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { StoredObject } from "@plimsoll/sandbox";
import type { FaultKind, World } from "../run/world.ts";
import type { PlannedEvent } from "../scenario/scenario.ts";
import { numberOf } from "./details.ts";
import { patchAsUser, sendAsUser } from "./user-request.ts";

/** What the faults read of a pod, and write as its kubelet does. */
interface Pod extends StoredObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: PodStatus;
}

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly { readonly restartCount?: number; readonly ready?: boolean }[];
  readonly [field: string]: unknown;
}

/** Which of the pods that are there then: 0 is the first, almost 1 the last. */
const draw: FaultKind["draw"] = (random) => ({ which: random.next() });

function podsOf({ cluster }: Pick<World, "cluster">): readonly Pod[] {
  const pods = cluster.store.list("pods") as readonly Pod[];
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function pick<T>(event: PlannedEvent, list: readonly T[]): T | undefined {
  return list[Math.floor(numberOf(event, "which") * list.length)];
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
}

/** Changes a pod's status if it is still there; a pod of the same name is another one. */
function writeStatus({ cluster }: World, pod: Pod, change: (status: PodStatus) => PodStatus): void {
  const { namespace, name, uid } = pod.metadata;
  cluster.as("kubelet", (store) => {
    const current = store.get("pods", namespace, name) as Pod | undefined;
    if (current === undefined || current.metadata.uid !== uid) return;
    store.update("pods", { ...current, status: change(current.status ?? {}) });
  });
}

function withReadiness(world: World, status: PodStatus, ready: boolean): PodStatus {
  const lastTransitionTime = `${new Date(world.time.nowMs).toISOString().slice(0, 19)}Z`;
  const conditions = status.conditions?.map((condition) =>
    condition.type === "Ready" || condition.type === "ContainersReady"
      ? { ...condition, status: ready ? "True" : "False", lastTransitionTime }
      : condition,
  );
  const containerStatuses = status.containerStatuses?.map((container) => ({ ...container, ready }));
  return {
    ...status,
    ...(conditions === undefined ? {} : { conditions }),
    ...(containerStatuses === undefined ? {} : { containerStatuses }),
  };
}

/** These pods are not ready for as long as it lasts. */
function unready(
  world: World,
  pods: readonly Pod[],
  atOnce: (status: PodStatus) => PodStatus = (status) => status,
): () => void {
  const ready = pods.filter(isReady);
  for (const pod of ready) writeStatus(world, pod, (status) => withReadiness(world, atOnce(status), false));
  return () => {
    for (const pod of ready) {
      // One that failed meanwhile does not come back.
      writeStatus(world, pod, (status) =>
        status["phase"] === "Running" ? withReadiness(world, status, true) : status,
      );
    }
  };
}

function withRestart(status: PodStatus): PodStatus {
  const containerStatuses = status.containerStatuses?.map((container) => ({
    ...container,
    restartCount: (container.restartCount ?? 0) + 1,
  }));
  return containerStatuses === undefined ? status : { ...status, containerStatuses };
}

function pathOf({ metadata: { namespace = "default", name } }: Pod): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

function setFinalizers({ cluster }: World, pod: Pod, finalizers: readonly string[]): void {
  const { uid = "" } = pod.metadata;
  patchAsUser(cluster, pathOf(pod), { metadata: { uid, finalizers } });
}

/** With a grace period, or at once. */
function remove({ cluster }: World, pod: Pod, isForced: boolean): void {
  sendAsUser(cluster, {
    user: "user",
    method: "DELETE",
    path: pathOf(pod),
    ...(isForced ? { query: { gracePeriodSeconds: "0" } } : {}),
  });
}

export const podFaults: Readonly<Record<string, FaultKind>> = {
  "pod-crash": {
    draw,
    maxForMs: 5 * minuteMs,
    begin(world, event) {
      const pod = pick(event, podsOf(world).filter(isReady));
      return pod === undefined ? undefined : unready(world, [pod], withRestart);
    },
  },
  "pod-hang": {
    draw,
    maxForMs: 30 * minuteMs,
    begin(world, event) {
      const pod = pick(event, podsOf(world).filter(isReady));
      return pod === undefined ? undefined : unready(world, [pod]);
    },
  },
  /** Its object stays until it is removed. */
  "pod-evicted": {
    draw,
    maxForMs: 20 * minuteMs,
    begin(world, event) {
      const pod = pick(event, podsOf(world));
      if (pod === undefined) return undefined;
      writeStatus(world, pod, (status) => ({
        ...withReadiness(world, status, false),
        phase: "Failed",
        reason: "Evicted",
      }));
      return () => remove(world, pod, true);
    },
  },
  "pod-deleted": {
    draw: (random) => ({ which: random.next(), isForced: random.chance(0.3) }),
    begin(world, event) {
      const pod = pick(event, podsOf(world));
      if (pod !== undefined) remove(world, pod, event.details["isForced"] === true);
      return undefined;
    },
  },
  /** Deleted, and never gone before its finalizer is removed. */
  "pod-stuck": {
    draw,
    weight: 0.5,
    maxForMs: 20 * minuteMs,
    begin(world, event) {
      const pod = pick(event, podsOf(world));
      if (pod === undefined) return undefined;
      setFinalizers(world, pod, ["storm.plimsoll.dev/stuck"]);
      remove(world, pod, false);
      return () => setFinalizers(world, pod, []);
    },
  },
  /** All pods of a node at once. */
  "node-lost": {
    draw,
    weight: 0.5,
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      const node = pick(event, world.cluster.store.list("nodes"));
      return unready(
        world,
        podsOf(world).filter(
          ({ spec }) => spec?.nodeName !== undefined && spec.nodeName === node?.metadata.name,
        ),
      );
    },
  },
};
