// The in-memory state of each object between evaluations.
import { type Clock, type KeyedEntries, steadyNowMs, systemClock } from "@plimsoll/component-base";
import type { HpaStatus } from "@plimsoll/core";
import type { KeptMemory } from "../../decisions/packed-memory.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { Contest, LastScale, Suspect, Yielded } from "../conflicts/conflict.ts";
import type { Held } from "../evaluate/held.ts";

/** Everything that is remembered of one object between evaluations. Only the functions of `remember/` make new states. */
export interface ObjectState {
  readonly key: string;
  readonly uid: string;
  /** From one gain of the object to its loss: what began in an earlier term must not end in this one. */
  readonly term: symbol;
  /** When we first saw the object; infinite once we, or another process of ours, may have written its status. */
  readonly sinceMs: number;
  /** What core remembers of the object. */
  readonly memory: KeptMemory | undefined;
  /** By how much the wall clock was ahead of the steady one when the instants of this state were set. */
  readonly clockOffsetMs: number | undefined;
  /** Managed at the last evaluation: then no other controller has changed the replicas since. */
  readonly isManaged: boolean;
  /**
   * The object as our last status write left it, or as another controller did when we took it over; a newer status that differs
   * was written by another client.
   */
  readonly lastWritten: ScalingObject | undefined;
  /** We have stored a status in this term. Before that, a watch that is behind may show those of the process before. */
  readonly hasStored: boolean;
  /** A status that was decided and is not stored yet: the next decision takes it as stored. */
  readonly pendingStatus: HpaStatus | undefined;
  /** Our last status write may or may not have been carried out, or is under way. */
  readonly isStatusUncertain: boolean;
  /** Why the last status write failed. */
  readonly statusFailure: string | undefined;
  /** The replicas that we wrote last, until they were compared with what came of them. */
  readonly lastScale: LastScale | undefined;
  /** Another client keeps undoing our writes of the replicas. */
  readonly contest: Contest | undefined;
  /** A status under our own name that we did not write. */
  readonly suspect: Suspect | undefined;
  /** Another controller manages this object: we only watch. */
  readonly yielded: Yielded | undefined;
  /** The one before, until we took the object over. */
  readonly former: Yielded | undefined;
  /** What held the replicas at the last decision; undefined before the first of this process. */
  readonly held: Held | undefined;
  /** The failure that was logged last; the next one is logged when it differs. */
  readonly failure: string | undefined;
  /** When this process last observed it to decide, in any term, by the steady clock. */
  readonly decidedAtMs: number | undefined;
  /** No periodic evaluation before this instant, because of the Retry-After of a server. */
  readonly skipUntilMs: number;
}

export interface States {
  /** The state of this very object: one of the same key that was created later has its own. */
  of(key: string, object: ScalingObject): ObjectState;
  /** Saves what `change` makes of the state; undefined when its term has ended. */
  update(
    state: Pick<ObjectState, "key" | "term">,
    change: (now: ObjectState) => ObjectState,
  ): ObjectState | undefined;
  drop(key: string): void;
  /** Ends the term. What is known of other writers is kept. */
  reset(key: string): void;
  /** How long ago this process last decided about the object, in any term; undefined: never. */
  decidedAgoMs(key: string): number | undefined;
  readonly entries: KeyedEntries;
  /** Objects that we leave to other controllers for now. */
  readonly yielded: number;
}

/** `isKnown`: whether the object of a key exists; no state is kept of one that does not. */
export function createStates(isKnown: (key: string) => boolean, clock: Clock = systemClock): States {
  const states = new Map<string, ObjectState>();
  return {
    of(key, object) {
      const uid = object.metadata.uid ?? "";
      const known = states.get(key);
      if (known?.uid === uid) return known;
      const state = emptyState(key, uid, clock.nowMs());
      if (isKnown(key)) states.set(key, state);
      return state;
    },
    update(state, change) {
      const now = states.get(state.key);
      if (now?.term !== state.term) return undefined;
      const next = change(now);
      states.set(state.key, next);
      return next;
    },
    drop: (key) => void states.delete(key),
    reset(key) {
      const known = states.get(key);
      if (known === undefined) return;
      const { uid, clockOffsetMs, contest, decidedAtMs } = known;
      const yielded = known.yielded && ({ ...known.yielded, isUnwatched: true } as const);
      const empty = emptyState(key, uid, Number.POSITIVE_INFINITY);
      states.set(key, { ...empty, clockOffsetMs, yielded, contest, decidedAtMs });
    },
    decidedAgoMs(key) {
      const { decidedAtMs } = states.get(key) ?? {};
      return decidedAtMs === undefined ? undefined : steadyNowMs(clock) - decidedAtMs;
    },
    entries: states,
    get yielded() {
      let sum = 0;
      for (const { yielded } of states.values()) if (yielded !== undefined) sum++;
      return sum;
    },
  };
}

function emptyState(key: string, uid: string, sinceMs: number): ObjectState {
  return {
    key,
    uid,
    term: Symbol(key),
    sinceMs,
    memory: undefined,
    clockOffsetMs: undefined,
    isManaged: false,
    lastWritten: undefined,
    hasStored: false,
    pendingStatus: undefined,
    isStatusUncertain: false,
    statusFailure: undefined,
    lastScale: undefined,
    contest: undefined,
    suspect: undefined,
    yielded: undefined,
    former: undefined,
    held: undefined,
    failure: undefined,
    decidedAtMs: undefined,
    skipUntilMs: 0,
  };
}

const maxRestMs = 600_000;

/** The end of a Retry-After that begins now, ten minutes at most. */
export function skipUntil(nowMs: number, forMs: number): number {
  return nowMs + Math.min(forMs, maxRestMs);
}
