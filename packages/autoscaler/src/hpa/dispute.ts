import type { Clock, KubeClient } from "@plimsoll/kube";
import type { Logger } from "../log.ts";
import { readCountWriter } from "./count-writer.ts";
import { type ForeignWrite, foreignScale, foreignStatus, isDispute } from "./foreign.ts";
import type { ScaleTarget } from "./gather/target.ts";
import { keyOf, type NativeHpa, namespaceOf } from "./native-hpa.ts";
import { reclaimOf } from "./ownership.ts";
import type { HpaRecord } from "./records.ts";

export interface DisputeDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly periodMs: number;
  /** Window in which a second dispute over the count ends our driving. */
  readonly windowMs: number;
  readonly warn: (hpa: NativeHpa, event: { readonly reason: string; readonly message: string }) => void;
  readonly onYield: (what: ForeignWrite["what"]) => void;
}

/** An object that was given up comes back when its annotation changed since. */
export function reclaim(hpa: NativeHpa, record: HpaRecord, log: Logger): void {
  if (record.yielded === undefined || record.yielded.reclaim === reclaimOf(hpa)) return;
  log.info({ hpa: record.key }, "taken back by its annotation");
  record.yielded = undefined;
  record.disputes = [];
  record.written = undefined;
  record.scaled = undefined;
}

/** Looks for another writer of the status; true when the object was given up. */
export function yieldToStatusWriter(watched: NativeHpa, record: HpaRecord, deps: DisputeDeps): boolean {
  const last = record.isStatusUncertain ? undefined : record.written;
  return giveUp(watched, record, foreignStatus(watched, last), deps);
}

/** Looks for another writer of the count; true when the object was given up. */
export async function yieldToScaleWriter(
  hpa: NativeHpa,
  target: ScaleTarget,
  record: HpaRecord,
  deps: DisputeDeps,
): Promise<boolean> {
  const last = record.scaled;
  const nowMs = deps.clock.nowMs();
  const withinMs = Math.max(2 * deps.periodMs, shortestAnswerMs);
  const found = target.scale.spec.replicas;
  if (last === undefined || (last.replicas === found && nowMs - last.atMs <= withinMs)) return false;
  record.scaled = undefined;
  if (!isDispute(last, found, { nowMs, withinMs })) return false;
  record.disputes = [...record.disputes.filter((atMs) => nowMs - atMs < deps.windowMs), nowMs];
  const writer = await readCountWriter(target, namespaceOf(hpa), deps);
  deps.log.warn(
    { hpa: keyOf(hpa), wrote: last.replicas, found, manager: writer?.manager },
    "somebody changed the count right after it was written",
  );
  return giveUp(hpa, record, foreignScale(writer, record.disputes.length), deps);
}

const shortestAnswerMs = 5000;

function giveUp(
  hpa: NativeHpa,
  record: HpaRecord,
  foreign: ForeignWrite | undefined,
  deps: DisputeDeps,
): boolean {
  if (foreign === undefined) return false;
  record.yielded = { ...foreign, atMs: deps.clock.nowMs(), reclaim: reclaimOf(hpa) };
  const message = `${foreign.by} writes the ${foreign.what} of what this controller drives; it only watches from now on, until the annotation autoscaling.plimsoll.dev/reclaim changes`;
  deps.warn(hpa, { reason: "ForeignWriter", message });
  deps.log.warn({ hpa: record.key, what: foreign.what, by: foreign.by }, "left to another writer");
  deps.onYield(foreign.what);
  return true;
}
