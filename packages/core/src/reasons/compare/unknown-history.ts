// Decides for an object whose history is unknown: as if nothing of it held, as if the present count held, and with the
// scale events that the cluster shows.

import { decide } from "../../decide/decide.ts";
import { readableInput } from "../../decide/readable-input.ts";
import { readOptions } from "../../decide/subject.ts";
import { defaultBehavior } from "../../objects/api/behavior-defaults.ts";
import type { DecideInput, DecideResult, HpaMemory, ScaleEvent } from "../../objects/decision.ts";
import { emptyMemory } from "../../objects/empty-memory.ts";
import type { StoredHpaStatus } from "../../objects/status.ts";
import { instantMs } from "../../values/time/rfc3339.ts";
import { desiredOf } from "../why-not/earliest.ts";
import { conditionOf, isRateLimited, isStabilized } from "./conditions.ts";

/** A `SuccessfulRescale` event: when it was recorded, and its message. */
export interface RescaleEvent {
  readonly atMs: number;
  readonly message: string;
}

/** The memories of which one is near the one that a controller has. */
export interface UnknownMemories {
  /** Its only recommendation is older than every window: nothing holds. */
  readonly nothingHeld: HpaMemory;
  /** None: the present count holds as the first recommendation. */
  readonly heldByPresent: undefined;
  /** As `nothingHeld`, with the scale events that are known. */
  readonly withEvents: HpaMemory;
}

/** How an object was decided on whose history is unknown. */
export interface UnknownHistoryResult {
  readonly result: DecideResult;
  /** What `result` was decided with. */
  readonly memory: HpaMemory | undefined;
  /** Which memory that is; "does-not-matter": all give the same count. */
  readonly history: "does-not-matter" | "nothing-held" | "held-by-present" | "with-events";
  /** What the target is to have by each. */
  readonly desired: Readonly<Record<keyof UnknownMemories, number>>;
  /** Sentences: what else is possible. */
  readonly notes: readonly string[];
}

/**
 * Decides with each memory. Where the counts differ, the conditions of the stored status choose: AbleToScale says
 * whether a window holds, ScalingLimited whether the policies do. Without them nothing of the past holds.
 */
export function decideWithUnknownHistory(
  input: DecideInput,
  rescales: readonly RescaleEvent[] = [],
): UnknownHistoryResult {
  const memories = unknownMemories(input, rescales);
  const prepared = readableInput(input);
  const decided = (memory: HpaMemory | undefined) => decide(prepared ?? input, memory);
  const results = mapped(memories, decided);
  const desired = mapped(results, desiredOf);
  const { nothingHeld, heldByPresent, withEvents } = desired;
  const [choice, isKnown] = chosen(prepared?.hpa.status ?? {});
  const isSame = nothingHeld === heldByPresent && nothingHeld === withEvents;
  const found = { result: results[choice], memory: memories[choice], desired };
  if (isSame) return { ...found, history: "does-not-matter", notes: [] };
  const isOpen = !isKnown && nothingHeld !== heldByPresent;
  const note = `The conditions don't show whether a stabilization window applies: with one, the result is ${heldByPresent} instead of ${nothingHeld}.`;
  return { ...found, history: histories[choice], notes: isOpen ? [note] : [] };
}

type Choice = keyof UnknownMemories;

function mapped<T, U>(each: Readonly<Record<Choice, T>>, of: (value: T) => U) {
  const entries = Object.entries(each).map(([choice, value]) => [choice, of(value)] as const);
  return Object.fromEntries(entries) as Readonly<Record<Choice, U>>;
}

const histories = {
  nothingHeld: "nothing-held",
  heldByPresent: "held-by-present",
  withEvents: "with-events",
} as const;

/** The memories that a controller may have, for an input. */
export function unknownMemories(given: DecideInput, rescales: readonly RescaleEvent[] = []): UnknownMemories {
  const input = readableInput(given);
  if (input === undefined) return memoriesOf(emptyMemory, emptyMemory);
  const { nowMs, scale, hpa } = input;
  const replicas = scale.ok ? scale.specReplicas : 0;
  const own = { ...emptyMemory, recommendations: [{ replicas, atMs: nowMs - maxWindowMs(input) - 1000 }] };
  const changes = changesOf(sizesOf(rescales), hpa.status).filter(({ atMs }) => atMs <= nowMs);
  const events = { scaleUpEvents: eventsOf(changes, 1), scaleDownEvents: eventsOf(changes, -1) };
  return memoriesOf(own, { ...own, ...events });
}

function memoriesOf(nothingHeld: HpaMemory, withEvents: HpaMemory): UnknownMemories {
  return { nothingHeld, heldByPresent: undefined, withEvents };
}

function chosen(status: StoredHpaStatus): readonly [choice: Choice, isKnown: boolean] {
  if (isStabilized(status)) return ["heldByPresent", true];
  const isLimited = conditionOf(status, "ScalingLimited")?.status === "True";
  if (isLimited && isRateLimited(status)) return ["withEvents", true];
  return ["nothingHeld", conditionOf(status, "AbleToScale")?.reason === "ReadyForNewScale"];
}

function maxWindowMs(input: DecideInput): number {
  const { scaleUp, scaleDown } = defaultBehavior(input.hpa.spec.behavior ?? {});
  const seconds = [scaleUp.stabilizationWindowSeconds ?? 0, scaleDown.stabilizationWindowSeconds ?? 0];
  return Math.max(
    readOptions(input.options).downscaleStabilizationMs,
    ...seconds.map((value) => value * 1000),
  );
}

interface Size {
  readonly size: number;
  readonly atMs: number;
}

/** The sizes that events announce, oldest first. */
function sizesOf(rescales: readonly RescaleEvent[]): readonly Size[] {
  return rescales
    .flatMap(({ atMs, message }) => {
      const size = /^New size: (\d+);/u.exec(message)?.[1];
      return size === undefined || !Number.isFinite(atMs) ? [] : [{ size: Number(size), atMs }];
    })
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** An event and a status of the same scale are not further apart. */
const sameScaleMs = 2000;

/** From size to size; the status knows from which size the last scale began, and a scale whose event is gone. */
function changesOf(sizes: readonly Size[], status: StoredHpaStatus | undefined): readonly ScaleEvent[] {
  const lastMs = instantMs(status?.lastScaleTime);
  const last = sizes.at(-1);
  const isAnnounced = lastMs !== undefined && last !== undefined && lastMs - last.atMs <= sameScaleMs;
  const before = status?.currentReplicas ?? 0;
  const after = status?.desiredReplicas ?? 0;
  const changes = sizes.map(({ size, atMs }, i) => {
    const isFromStatus = i === sizes.length - 1 && isAnnounced && after === size && before !== size;
    const from = sizes[i - 1]?.size ?? (isFromStatus ? before : size);
    return { change: size - from, atMs };
  });
  if (lastMs === undefined || isAnnounced) return changes;
  const from = before === after ? (last?.size ?? after) : before;
  return [...changes, { change: after - from, atMs: lastMs }];
}

function eventsOf(changes: readonly ScaleEvent[], sign: 1 | -1): readonly ScaleEvent[] {
  return changes
    .filter(({ change }) => Math.sign(change) === sign)
    .map(({ change, atMs }) => ({ change: Math.abs(change), atMs }));
}
