// The changes of replicas that count against the policies of an object, by what was really written.
import { instantMs, type ScaleEvent } from "@plimsoll/core";
import type { Observation, World } from "../run/world.ts";
import { createLastDecided, type Decided, isActive, uidOfDecided } from "./decisions.ts";
import { evaluationManager, replicasOf, targetOfPath } from "./names.ts";

/** One change that was decided, in the time of the simulation. */
interface Change {
  /** Replicas added; negative: removed. */
  readonly change: number;
  readonly atMs: number;
  /** Counts the edits of the behavior: what was done under another one may have been forgotten. */
  readonly edition: number;
  /** Whether the clock that said when it was is right. */
  isTimed: boolean;
  /** Whether whoever decides on the object next must count it. */
  isKnown: boolean;
}

/** A write on its way. */
interface Underway {
  readonly uid: string;
  readonly change: Change;
}

export interface ScaleHistory {
  /** To be called with each decision, before it is judged. */
  begin(decided: Decided): void;
  /** To be called with each observation, with a decision after it was judged. */
  see(observation: Observation): void;
  /**
   * What a decision must count in a direction, and what it may count in the other one, which gives it more room. Its times are those
   * of the simulation; what must be counted is older by a margin, and what may be is newer.
   */
  eventsFor(
    decided: Decided,
    isUp: boolean,
  ): { readonly must: readonly ScaleEvent[]; readonly may: readonly ScaleEvent[] };
}

/** Clocks that are slewed, and times that are cut to seconds. */
const marginMs = 2000;
/** Longer than every period of a policy. */
const keptMs = 1_900_000;

/**
 * A change must be counted once its sender knows that it was made. A process that knows no former changes must count those that
 * the status tells it of, if the clocks of both machines were right. What was decided may count, whatever became of it, and so may what
 * a process has in its memory when it begins.
 */
export function createScaleHistory({
  cluster,
  processes,
  time,
}: Pick<World, "cluster" | "processes" | "time">): ScaleHistory {
  const changes = new Map<string, Change[]>();
  const mayCount = new Map<string, { readonly change: number; readonly atMs: number }[]>();
  const editions = new Map<string, { readonly behavior: string; readonly edition: number }>();
  const underway = new Map<string, Underway>();
  const lastDecided = createLastDecided();
  const decisionsOf = new WeakMap<Decided, Underway>();
  cluster.onRestore(() => {
    for (const of of changes.values()) for (const change of of) change.isKnown = false;
    underway.clear();
  });

  function isClockRight(process: string): boolean {
    const clock = processes.get(process)?.clock;
    return clock !== undefined && Math.abs(clock.nowMs() - time.nowMs) < 1000;
  }

  function decided(decision: Decided): void {
    const uid = uidOfDecided(decision);
    const { nowMs } = time;
    const of = (changes.get(uid) ?? []).filter(({ atMs }) => nowMs - atMs < keptMs);
    changes.set(uid, of);
    const { scaleTo, currentReplicas } = decision.result.decision;
    if (scaleTo === undefined) return;
    const change = {
      change: scaleTo - currentReplicas,
      atMs: nowMs,
      edition: editions.get(uid)?.edition ?? 0,
      isTimed: isClockRight(decision.process),
      isKnown: false,
    };
    of.push(change);
    lastDecided.see(decision);
    if (isActive(decision)) decisionsOf.set(decision, { uid, change });
  }

  /** A process decides on an object for the first time since it owns it. */
  function begins({ process, input, memory }: Decided, uid: string): void {
    const toldMs = isClockRight(process) ? instantMs(input.hpa.status?.lastScaleTime) : undefined;
    for (const change of changes.get(uid) ?? [])
      change.isKnown &&= change.isTimed && toldMs !== undefined && change.atMs <= toldMs + 1000;
    const { scaleUpEvents = [], scaleDownEvents = [] } = memory ?? {};
    const own = [...scaleUpEvents, ...scaleDownEvents.map((event) => ({ ...event, change: -event.change }))];
    mayCount.set(uid, [
      ...(mayCount.get(uid) ?? []),
      ...own.map((event) => ({ ...event, atMs: time.nowMs })),
    ]);
  }

  function sent({ process, request }: Extract<Observation, { kind: "sent" }>): void {
    const target = request.method === "PUT" ? targetOfPath(request.path) : undefined;
    if (target === undefined || request.query.get("fieldManager") !== evaluationManager) return;
    const decision = lastDecided.of(process, target);
    const found = decision && decisionsOf.get(decision);
    const isSame = decision?.result.decision.scaleTo === replicasOf(JSON.parse(request.body ?? "{}"));
    if (found !== undefined && isSame) underway.set(`${process} ${request.path}`, found);
    else underway.delete(`${process} ${request.path}`);
  }

  function received({ process, request, code }: Extract<Observation, { kind: "received" }>): void {
    if (request.method !== "PUT" || targetOfPath(request.path) === undefined) return;
    const key = `${process} ${request.path}`;
    const found = underway.get(key);
    underway.delete(key);
    if (found !== undefined && code === 200) found.change.isKnown = true;
  }

  return {
    begin(decision) {
      const uid = uidOfDecided(decision);
      const behavior = JSON.stringify(decision.input.hpa.spec.behavior ?? null);
      const { behavior: before = behavior, edition = 0 } = editions.get(uid) ?? {};
      editions.set(uid, { behavior, edition: before === behavior ? edition : edition + 1 });
      if ((decision.memory?.recommendations ?? []).length === 0) begins(decision, uid);
    },
    see(observation) {
      if (observation.kind === "decided") decided(observation);
      else if (observation.kind === "sent") sent(observation);
      else if (observation.kind === "received") received(observation);
    },
    eventsFor(decision, isUp) {
      const uid = uidOfDecided(decision);
      const edition = editions.get(uid)?.edition;
      const all = changes.get(uid) ?? [];
      const event = ({ change, atMs }: Pick<Change, "change" | "atMs">, byMs: number): ScaleEvent => ({
        change: Math.abs(change),
        atMs: atMs + byMs,
      });
      const isOf =
        (up: boolean) =>
        ({ change }: { readonly change: number }) =>
          change > 0 === up;
      return {
        must: all
          .filter((change) => change.isKnown && change.edition === edition)
          .filter(isOf(isUp))
          .map((change) => event(change, -marginMs)),
        may: [...all, ...(mayCount.get(uid) ?? [])]
          .filter(isOf(!isUp))
          .map((change) => event(change, marginMs)),
      };
    },
  };
}
