// Shifts the saved state when the wall clock was set.
import type { Clock } from "@plimsoll/component-base";
import { shiftMemory } from "@plimsoll/core";
import { unpackMemory } from "./packed-memory.ts";
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
  const { memory, lastScale } = state;
  return {
    ...state,
    clockOffsetMs,
    memory: memory && shiftMemory(unpackMemory(memory), jumpMs),
    lastScale: lastScale && { ...lastScale, atMs: lastScale.atMs + jumpMs },
    disputes: state.disputes.map((atMs) => atMs + jumpMs),
  };
}
