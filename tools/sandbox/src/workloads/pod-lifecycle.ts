// Simulates pods from Pending to Ready to deleted.
import { backoffMs, type Clock } from "@plimsoll/component-base";
import { type ObjectStore, timestamp } from "../storage/object-store.ts";
import { nodeAddress } from "./nodes.ts";
import { isFinished, isTerminating, type Pod } from "./pod.ts";
import { addressAnnotation, dueStage, type PodStage, shownStage } from "./pod-stage.ts";
import { podStatusFor } from "./pod-status.ts";

export interface PodLifecycleOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly nodes: readonly string[];
  /** From creation to Running. */
  readonly startDelayMs: number;
  /** From Running to Ready; the ready-delay annotation overrides it. */
  readonly readyDelayMs: number;
  /** From the deletion request until the pod is gone, at most its own grace period. */
  readonly terminationMs: number;
  /** The first byte of addresses. */
  readonly podNetwork: number;
  /** A number for each pod, which gives it its node and its address. */
  nextSerial(): number;
  requeueAfter(pod: Pod, delayMs: number): void;
}

/** The scheduler's and the kubelet's part: gives a pod a node, starts it, makes it Ready, lets it end. */
export interface PodLifecycle {
  sync(pod: Pod): void;
  forget(pod: Pod): void;
}

/** Instants are kept here because the ones on the objects have whole seconds. */
interface PodRecord {
  readonly number: number;
  readonly createdAtMs: number;
  stage: PodStage;
  runningAtMs: number | undefined;
  deletedAtMs: number | undefined;
  restarts: number;
  restartAtMs: number;
}

const restartBackoff = { baseMs: 10_000, maxMs: 300_000 };

export function createPodLifecycle(options: PodLifecycleOptions): PodLifecycle {
  const records = new Map<string, PodRecord>();

  const recordOf = (pod: Pod): PodRecord => {
    const uid = pod.metadata.uid ?? "";
    const known = records.get(uid);
    if (known !== undefined) return known;
    const record = newRecord(pod, options.nextSerial(), options.clock.nowMs());
    records.set(uid, record);
    return record;
  };

  const end = (pod: Pod, record: PodRecord): void => {
    const nowMs = options.clock.nowMs();
    const deletedAtMs = record.deletedAtMs ?? nowMs;
    record.deletedAtMs = deletedAtMs;
    const graceMs = Math.min(options.terminationMs, (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
    const leftMs = deletedAtMs + graceMs - nowMs;
    if (leftMs > 0) {
      options.requeueAfter(pod, leftMs);
      return;
    }
    options.store.update("pods", { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } });
  };

  const backOff = (pod: Pod, record: PodRecord): void => {
    const delayMs = backoffMs(record.restarts, restartBackoff);
    record.restarts += 1;
    record.restartAtMs = options.clock.nowMs() + delayMs;
    options.requeueAfter(pod, delayMs);
  };

  return {
    sync(pod) {
      const record = recordOf(pod);
      if (isTerminating(pod)) {
        end(pod, record);
        return;
      }
      // What has failed or succeeded never runs again.
      if (isFinished(pod)) return;
      const nowMs = options.clock.nowMs();
      const { startDelayMs, readyDelayMs } = options;
      const due = dueStage(pod, { ...record, nowMs, startDelayMs, readyDelayMs });
      if (due.nextInMs !== undefined) options.requeueAfter(pod, due.nextInMs);
      // A status that was written by hand stays until the next stage.
      const crashesAgain = due.stage === "CrashLoop" && nowMs >= record.restartAtMs;
      if (due.stage === record.stage && !crashesAgain) return;
      record.stage = due.stage;
      if (due.stage === "Running" || due.stage === "Ready") record.runningAtMs ??= nowMs;
      options.store.update("pods", podAt(due.stage, pod, { ...options, number: record.number, nowMs }));
      if (due.stage === "CrashLoop") backOff(pod, record);
    },
    forget: (pod) => void records.delete(pod.metadata.uid ?? ""),
  };
}

function newRecord(pod: Pod, number: number, nowMs: number): PodRecord {
  const stage = shownStage(pod);
  // One that is Ready already has no delay before it.
  const runningAtMs = { Running: nowMs, Ready: Number.NEGATIVE_INFINITY }[stage as string];
  return {
    number,
    createdAtMs: nowMs,
    stage,
    runningAtMs,
    deletedAtMs: undefined,
    restarts: 0,
    restartAtMs: 0,
  };
}

/** With a node, and with the status of the stage. */
function podAt(
  stage: PodStage,
  pod: Pod,
  at: Pick<PodLifecycleOptions, "nodes" | "podNetwork"> & { readonly number: number; readonly nowMs: number },
): Pod {
  const placed = stage === "Unschedulable" || pod.spec?.nodeName !== undefined;
  const nodeNumber = (at.number - 1) % Math.max(1, at.nodes.length);
  const nodeName = pod.spec?.nodeName ?? at.nodes[nodeNumber];
  const status = podStatusFor({
    pod,
    stage,
    now: timestamp(at.nowMs),
    podIP: pod.metadata.annotations?.[addressAnnotation] ?? podAddress(at.podNetwork, at.number),
    hostIP: nodeAddress(nodeNumber + 1),
  });
  return { ...pod, ...(placed ? {} : { spec: { ...pod.spec, nodeName } }), status } as Pod;
}

function podAddress(network: number, number: number): string {
  return `${network}.${64 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
}
