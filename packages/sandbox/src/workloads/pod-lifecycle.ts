import type { Clock } from "@plimsoll/kube";
import { type ObjectStore, timestamp } from "../storage/object-store.ts";
import { nodeAddress } from "./nodes.ts";
import { isTerminating, type Pod } from "./pod.ts";
import { dueStage, type PodStage, shownStage } from "./pod-stage.ts";
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
  again(pod: Pod, delayMs: number): void;
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

const firstRestartBackoffMs = 10_000;
const longestRestartBackoffMs = 300_000;

export function createPodLifecycle(o: PodLifecycleOptions): PodLifecycle {
  const records = new Map<string, PodRecord>();
  let serial = 0;

  const recordOf = (pod: Pod): PodRecord => {
    const uid = pod.metadata.uid ?? "";
    let record = records.get(uid);
    if (record === undefined) {
      const stage = shownStage(pod);
      const isRunning = stage === "Running" || stage === "Ready";
      const now = o.clock.nowMs();
      serial += 1;
      record = {
        number: serial,
        createdAtMs: now,
        stage,
        runningAtMs: isRunning ? now : undefined,
        deletedAtMs: undefined,
        restarts: 0,
        restartAtMs: 0,
      };
      records.set(uid, record);
    }
    return record;
  };

  const write = (pod: Pod, record: PodRecord, stage: PodStage): void => {
    const placed = stage === "Unschedulable" || pod.spec?.nodeName !== undefined;
    const nodeNumber = (record.number - 1) % Math.max(1, o.nodes.length);
    const nodeName = pod.spec?.nodeName ?? o.nodes[nodeNumber];
    o.store.update("pods", {
      ...pod,
      ...(placed ? {} : { spec: { ...pod.spec, nodeName } }),
      status: podStatusFor({
        pod,
        stage,
        now: timestamp(o.clock.nowMs()),
        podIP: podAddress(record.number),
        hostIP: nodeAddress(nodeNumber + 1),
      }),
    });
  };

  const end = (pod: Pod, record: PodRecord): void => {
    const nowMs = o.clock.nowMs();
    const deletedAtMs = record.deletedAtMs ?? nowMs;
    record.deletedAtMs = deletedAtMs;
    const graceMs = Math.min(o.terminationMs, (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
    const leftMs = deletedAtMs + graceMs - nowMs;
    if (leftMs > 0) {
      o.again(pod, leftMs);
      return;
    }
    o.store.update("pods", { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } });
  };

  const backOff = (pod: Pod, record: PodRecord): void => {
    const delayMs = Math.min(longestRestartBackoffMs, firstRestartBackoffMs * 2 ** record.restarts);
    record.restarts += 1;
    record.restartAtMs = o.clock.nowMs() + delayMs;
    o.again(pod, delayMs);
  };

  return {
    sync(pod) {
      const record = recordOf(pod);
      if (isTerminating(pod)) {
        end(pod, record);
        return;
      }
      const nowMs = o.clock.nowMs();
      const due = dueStage(pod, {
        ...record,
        nowMs,
        startDelayMs: o.startDelayMs,
        readyDelayMs: o.readyDelayMs,
      });
      if (due.againInMs !== undefined) o.again(pod, due.againInMs);
      // A status that somebody wrote by hand stays until the next stage.
      const crashesAgain = due.stage === "CrashLoop" && nowMs >= record.restartAtMs;
      if (due.stage === record.stage && !crashesAgain) return;
      record.stage = due.stage;
      if (due.stage === "Running" || due.stage === "Ready") record.runningAtMs ??= nowMs;
      write(pod, record, due.stage);
      if (due.stage === "CrashLoop") backOff(pod, record);
    },
    forget: (pod) => void records.delete(pod.metadata.uid ?? ""),
  };
}

function podAddress(number: number): string {
  return `10.${64 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
}
