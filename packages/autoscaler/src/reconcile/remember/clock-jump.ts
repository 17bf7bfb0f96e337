// Shifts the saved state when the wall clock was set.
import type { Clock } from "@plimsoll/component-base";
import { shiftMemory } from "@plimsoll/core";
import { unpackMemory } from "../../decisions/packed-memory.ts";
import type { Yielded } from "../conflicts/conflict.ts";
import type { ObjectState } from "./state.ts";

/** Less is a clock that is slewed, which does not matter to windows of minutes. */
const minJumpMs = 1000;

/**
 * Windows and periods are lengths of time: when the wall clock was set since the last evaluation, every instant of the
 * state moves with it, so that it is as long ago as it really is.
 */
export function followClock(state: ObjectState, clock: Clock): ObjectState {
  if (clock.steadyMs === undefined) return state;
  const clockOffsetMs = clock.nowMs() - clock.steadyMs();
  if (state.clockOffsetMs === undefined) return { ...state, clockOffsetMs };
  const jumpMs = clockOffsetMs - state.clockOffsetMs;
  if (Math.abs(jumpMs) < minJumpMs) return state;
  const { contest, former, lastScale, memory, suspect, yielded } = state;
  return {
    ...state,
    clockOffsetMs,
    sinceMs: state.sinceMs + jumpMs,
    memory: memory && shiftMemory(unpackMemory(memory), jumpMs),
    lastScale: lastScale && { ...lastScale, atMs: lastScale.atMs + jumpMs },
    contest: contest && {
      ...contest,
      sinceMs: contest.sinceMs + jumpMs,
      lastMs: contest.lastMs + jumpMs,
      nextWriteMs: contest.nextWriteMs + jumpMs,
      quietMs: contest.quietMs + jumpMs,
    },
    suspect: suspect && { ...suspect, lastMs: suspect.lastMs + jumpMs },
    yielded: shifted(yielded, jumpMs),
    former: shifted(former, jumpMs),
  };
}

function shifted(yielded: Yielded | undefined, byMs: number): Yielded | undefined {
  return yielded && { ...yielded, sinceMs: yielded.sinceMs + byMs, lastMs: yielded.lastMs + byMs };
}
