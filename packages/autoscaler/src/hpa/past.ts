import { type HpaMemory, instantMs } from "@plimsoll/core";
import type { FieldWriter } from "./field-writer.ts";
import { isAutoscaler } from "./foreign.ts";
import { isOpen } from "./gap.ts";
import type { Gathered } from "./gather/gather.ts";
import type { NativeHpa } from "./native-hpa.ts";
import type { Ownership } from "./ownership.ts";
import type { HpaRecord } from "./records.ts";
import { type Past, restoredPast } from "./restore.ts";

/** What to go by: what is remembered, and, of an object that is new to us, what can be restored. */
export function pastOf(
  hpa: NativeHpa,
  o: {
    readonly record: HpaRecord;
    readonly gathered: Gathered;
    readonly mode: Ownership;
    readonly nowMs: number;
    readonly writer: FieldWriter | undefined;
  },
): Past {
  const { record, gathered, mode, nowMs, writer } = o;
  const { scale } = gathered;
  const known = record.memory === undefined ? undefined : memoryOf(record, gathered);
  if (!scale.ok || (mode === "active" && record.isDriven)) {
    const { gap } = record;
    return { memory: known, gap: gap !== undefined && isOpen(gap, nowMs) ? gap : undefined };
  }
  const writtenAtMs = writer !== undefined && isAutoscaler(writer) ? instantMs(writer.at) : undefined;
  // In shadow a count that was not announced is somebody's own, and none of the driving controller's.
  const replicas = mode === "active" ? scale.specReplicas : (hpa.status?.desiredReplicas ?? 0);
  const restored = restoredPast(hpa, { replicas, writtenAtMs, nowMs });
  return { memory: known ?? restored.memory, gap: mode === "active" ? restored.gap : undefined };
}

/** A scale that nobody made must not use up the policies of the next one. */
function memoryOf({ memory, expected }: HpaRecord, { scale }: Gathered): HpaMemory | undefined {
  return expected === undefined || !scale.ok || scale.specReplicas === expected.scaleTo
    ? memory
    : expected.otherwise;
}
