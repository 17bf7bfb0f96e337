// Queues the status write of an evaluation.
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@plimsoll/component-base";
import type { HpaStatus } from "@plimsoll/core";
import { type EventRecorder, isOlder, type KubeClient, type MutationCache } from "@plimsoll/kube";
import type { CoalescingQueue } from "../../budget/coalescing-queue.ts";
import type { Urgency } from "../../budget/write-lines.ts";
import { fenced } from "../../leadership/fenced.ts";
import { referenceTo } from "../../objects/reference.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { ReadCurrent } from "../current-object.ts";
import type { Plan } from "../evaluate/plan.ts";
import { afterStatusDecided, afterStatusSent, afterStatusWritten } from "../remember/remember.ts";
import type { ObjectState, States } from "../remember/state.ts";
import type { Permit } from "./permit.ts";
import { type StatusWritten, writeStatus } from "./write-status.ts";

/** What became of a status: "later" waits in the queue, "fenced" may not be written any more. */
export type Published =
  | { readonly result: "stored" | "later" | "fenced" }
  | { readonly result: "failed"; readonly failure: string; readonly retryAfterMs: number | undefined };

export interface PublishDeps {
  readonly client: KubeClient;
  readonly queue: Pick<CoalescingQueue<Published>, "put">;
  readonly events: Pick<EventRecorder, "record">;
  readonly states: Pick<States, "update">;
  readonly written: Pick<MutationCache<ScalingObject>, "put" | "drop">;
  /** Whether the object of a key exists; nothing is saved of one that does not. */
  readonly isKnown: (key: string) => boolean;
  readonly readCurrent: ReadCurrent;
  readonly clock: Clock;
}

/**
 * Writes a plan's status when the rate limit allows it, onto the object as it is then. Until it is stored, the state has it, and
 * decisions are made as if it were: a newer one replaces it, and nothing is decided twice.
 */
export async function publishStatus(plan: Plan, permit: Permit, deps: PublishDeps): Promise<Published> {
  const { state, stored } = plan.observation;
  const { status } = plan.result.decision;
  deps.states.update(state, (now) => afterStatusDecided(now, status));
  if (permit.check() !== "granted") return { result: "fenced" };
  // Thousands may wait in the queue: each keeps its status, and not the whole plan.
  const waiting = { key: state.key, term: state.term, status };
  const published = await deps.queue.put(state.key, urgencyOf(stored.status, status), () =>
    writeNow(waiting, permit, deps),
  );
  return published === "later" ? { result: "later" } : published;
}

/** A status that waits for its write, and the term of the object that it belongs to. */
interface WaitingStatus extends Pick<ObjectState, "key" | "term"> {
  readonly status: HpaStatus;
}

async function writeNow(waiting: WaitingStatus, permit: Permit, deps: PublishDeps): Promise<Published> {
  const { key, status } = waiting;
  const current = deps.readCurrent(key);
  if (current === undefined || permit.check() !== "granted") return { result: "fenced" };
  const { stored } = current;
  const wasUncertain = current.state.isStatusUncertain;
  // It came back to what it was before the queued write started, or a write whose response was lost had stored it.
  if (isDeepStrictEqual(stored.status, status)) {
    settle({ result: "stored-already", object: newest(current.state.lastWritten, stored) });
    return { result: "stored" };
  }
  deps.states.update(waiting, afterStatusSent);
  const client = fenced(deps.client, () => permit.check() === "granted");
  const written = await writeStatus(client, stored, status);
  if (written.result !== "failed") {
    if (written.result === "written" && deps.isKnown(key)) deps.written.put(key, written.object);
    settle(written);
    return { result: "stored" };
  }
  // The version that we wrote last is not the server's: another client wrote, or etcd was restored. Only the watch knows.
  if (!written.isUncertain) deps.written.drop(key);
  const failure = `failed to update status for ${stored.metadata.name}: ${written.message}`;
  settle(written, failure);
  if (permit.check() === "lost") return { result: "fenced" };
  const event = { type: "Warning", reason: "FailedUpdateStatus", message: written.message } as const;
  deps.events.record(referenceTo(stored), event);
  return { result: "failed", failure, retryAfterMs: written.retryAfterMs };

  function settle(result: StatusWritten, failure?: string): void {
    deps.states.update(waiting, (now) =>
      afterStatusWritten(now, { status, written: result, failure, wasUncertain }, deps.clock.nowMs()),
    );
  }
}

function newest(written: ScalingObject | undefined, stored: ScalingObject): ScalingObject {
  const isStale = written && isOlder(stored.metadata.resourceVersion, written.metadata.resourceVersion);
  return isStale === true ? written : stored;
}

/** A status that reports something new is worth more than one in which only numbers moved. */
export function urgencyOf(before: ScalingObject["status"], after: HpaStatus): Urgency {
  if (before === undefined) return "report";
  const isSame =
    before.currentReplicas === after.currentReplicas &&
    before.desiredReplicas === after.desiredReplicas &&
    before.lastScaleTime === after.lastScaleTime &&
    before.observedGeneration === after.observedGeneration &&
    conditionsText(before.conditions ?? []) === conditionsText(after.conditions);
  return isSame ? "refresh" : "report";
}

function conditionsText(
  conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string | undefined;
  }[],
): string {
  return JSON.stringify(conditions.map(({ type, status, reason = "" }) => [type, status, reason]));
}
