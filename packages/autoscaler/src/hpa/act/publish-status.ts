import { isDeepStrictEqual } from "node:util";
import type { HpaStatus } from "@plimsoll/core";
import type { EventRecorder, KubeClient } from "@plimsoll/kube";
import type { StatusOutbox } from "../../budget/status-outbox.ts";
import type { Urgency } from "../../budget/write-budget.ts";
import { type DisputeDeps, yieldToStatusWriter } from "../dispute.ts";
import type { NativeHpa } from "../native-hpa.ts";
import { type HpaRecord, keepQuiet } from "../records.ts";
import { referenceTo } from "./act.ts";
import { type StatusWritten, writeStatus } from "./write-status.ts";

/** What became of a status: "later" waits for its turn, "fenced" was not ours to write any more. */
export type Published = StatusWritten | { readonly result: "later" } | { readonly result: "fenced" };

export interface PublishDeps {
  readonly client: KubeClient;
  readonly outbox: StatusOutbox<Published>;
  readonly events: Pick<EventRecorder, "record">;
  readonly dispute: DisputeDeps;
}

/**
 * Writes a status when its turn comes, onto the object as it is then. Until it is stored, the record has it, and
 * decisions are made as if it were: a newer one takes its place, and nothing is decided twice.
 */
export async function publishStatus(
  o: {
    /** The object that was decided on. */
    readonly hpa: NativeHpa;
    readonly record: HpaRecord;
    readonly status: HpaStatus;
    /** The object as stored, as far as we know; undefined when it is gone, or replaced by a namesake. */
    readonly stored: () => NativeHpa | undefined;
    /** Asked right before the write. */
    readonly mayWrite: () => boolean;
    readonly drives: (stored: NativeHpa) => boolean;
  },
  deps: PublishDeps,
): Promise<Published> {
  const { record, status } = o;
  record.unwritten = status;
  const published = await deps.outbox.put(record.key, urgencyOf(o.hpa.status, status), write);
  return published === "later" ? { result: "later" } : published;

  async function write(): Promise<Published> {
    const stored = o.stored();
    if (stored === undefined || !isOurs(stored)) {
      settle();
      return { result: stored === undefined ? "gone" : "fenced" };
    }
    // It came back to what it was before its turn came.
    if (isDeepStrictEqual(stored.status, status)) {
      settle();
      return { result: "written", hpa: stored };
    }
    const wasUncertain = record.isStatusUncertain;
    record.isStatusUncertain = true;
    const written = await writeStatus(deps.client, stored, status);
    record.isStatusUncertain =
      written.result !== "written" && (wasUncertain || (written.result === "failed" && written.isUncertain));
    settle();
    if (written.result === "written") record.written = written.hpa;
    record.statusFailure =
      written.result === "failed"
        ? `failed to update status for ${stored.metadata.name}: ${written.message}`
        : undefined;
    if (written.result === "failed") {
      const event = { type: "Warning", reason: "FailedUpdateStatus", message: written.message } as const;
      deps.events.record(referenceTo(stored), event);
      if (written.retryAfterMs !== undefined)
        keepQuiet(record, deps.dispute.clock.nowMs(), written.retryAfterMs);
    }
    return written;
  }

  function isOurs(stored: NativeHpa): boolean {
    if (!o.mayWrite()) return false;
    // As late as can be: what we write would hide who wrote before.
    if (o.drives(stored)) return !yieldToStatusWriter(stored, record, deps.dispute);
    // In shadow only a WorkloadAutoscaler shows what it decided.
    return stored.wla !== undefined;
  }

  function settle(): void {
    if (record.unwritten === status) record.unwritten = undefined;
  }
}

/** A status that says something new is worth more than one in which only numbers moved. */
export function urgencyOf(before: NativeHpa["status"], after: HpaStatus): Urgency {
  if (before === undefined) return "told";
  const isSame =
    before.currentReplicas === after.currentReplicas &&
    before.desiredReplicas === after.desiredReplicas &&
    before.lastScaleTime === after.lastScaleTime &&
    before.observedGeneration === after.observedGeneration &&
    conditionsText(before.conditions ?? []) === conditionsText(after.conditions);
  return isSame ? "refresh" : "told";
}

function conditionsText(
  conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string | undefined;
  }[],
): string {
  return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason ?? ""}`).join("\n");
}
