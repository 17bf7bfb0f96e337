import type { Clock } from "@plimsoll/kube";
import { hash } from "../hash.ts";

/** Calls `due(key)` once per period for every key, each at its own place in the period. */
export interface Schedule {
  /** Adds a key, or does nothing when it is there; `periodMs` is for one that keeps another time than most. */
  add(key: string, periodMs?: number): void;
  remove(key: string): void;
  start(): void;
  stop(): void;
}

/** Slots of a period; a key fires in the slot that its hash names. */
const slotsPerPeriod = 150;
/** Keys of a namespace with no more than so many are due within a few slots of each other. */
const smallNamespace = 200;
const slotsPerNamespace = 5;
const shortestTickMs = 20;
/** Long periods do not make for longer ticks than this one: single keys may have short ones. */
const usualPeriodMs = 15_000;
/** Slots with work that one tick may serve: two, so that lost time is made up at twice the pace at most. */
const slotsPerTick = 2;

export function createSchedule(o: {
  readonly clock: Clock;
  readonly periodMs: number;
  readonly due: (key: string, lateMs: number) => void;
}): Schedule {
  const { clock, periodMs } = o;
  const tickMs = Math.max(shortestTickMs, Math.min(periodMs, usualPeriodMs) / slotsPerPeriod);
  const slotCount = Math.max(1, Math.round(periodMs / tickMs));
  const slots = new Map<number, Set<string>>();
  const slotOf = new Map<string, number>();
  /** Slots between two turns, of keys with a period of their own. */
  const strideOf = new Map<string, number>();
  const keysIn = new Map<string, number>();

  let cancel: (() => void) | undefined;
  /** The slot served last, counted since `originMs`. */
  let cursor = 0;
  let originMs = 0;

  return { add, remove, start, stop };

  function start(): void {
    if (cancel !== undefined) return;
    originMs = clock.nowMs();
    cursor = 0;
    const keys = [...slotOf.keys()];
    slots.clear();
    slotOf.clear();
    for (const key of keys) place(key, cursor);
    wait();
  }

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  function add(key: string, ownPeriodMs?: number): void {
    const stride = ownPeriodMs === undefined ? undefined : Math.max(1, Math.round(ownPeriodMs / tickMs));
    const isSame = strideOf.get(key) === stride;
    if (slotOf.has(key) && isSame) return;
    remove(key);
    keysIn.set(spaceOf(key), (keysIn.get(spaceOf(key)) ?? 0) + 1);
    if (stride !== undefined) strideOf.set(key, stride);
    place(key, cursor);
  }

  function remove(key: string): void {
    const slot = slotOf.get(key);
    if (slot === undefined) return;
    slotOf.delete(key);
    const left = (keysIn.get(spaceOf(key)) ?? 1) - 1;
    if (left > 0) keysIn.set(spaceOf(key), left);
    else keysIn.delete(spaceOf(key));
    strideOf.delete(key);
    const keys = slots.get(slot);
    keys?.delete(key);
    if (keys?.size === 0) slots.delete(slot);
  }

  /** Puts the key in the first slot after `after` that is its own. */
  function place(key: string, after: number): void {
    const stride = strideOf.get(key) ?? slotCount;
    // Keys of a small namespace come close together, so that they can share what they ask for.
    const space = spaceOf(key);
    const isSmall = (keysIn.get(space) ?? 0) <= smallNamespace;
    const phase = isSmall ? (hash(space) + (hash(key) % slotsPerNamespace)) % stride : hash(key) % stride;
    const slot = after + 1 + ((((phase - after - 1) % stride) + stride) % stride);
    slotOf.set(key, slot);
    const keys = slots.get(slot);
    if (keys === undefined) slots.set(slot, new Set([key]));
    else keys.add(key);
  }

  function wait(): void {
    const nextMs = originMs + (cursor + 1) * tickMs - clock.nowMs();
    // Behind by a slot or more, the pace stays one tick.
    cancel = clock.after(nextMs <= 0 ? tickMs : Math.min(nextMs, tickMs), tick);
  }

  function tick(): void {
    const nowMs = clock.nowMs();
    let current = Math.floor((nowMs - originMs) / tickMs);
    // A wall clock that was set (or a machine that slept) moves the origin, not the work.
    if (current < cursor || current > cursor + 2 * slotCount) {
      current = cursor + 1;
      originMs = nowMs - current * tickMs;
    }
    let served = 0;
    while (cursor < current && served < slotsPerTick) {
      cursor++;
      const keys = slots.get(cursor);
      if (keys === undefined) continue;
      slots.delete(cursor);
      served++;
      const lateMs = Math.max(0, nowMs - (originMs + cursor * tickMs));
      for (const key of keys) {
        place(key, Math.max(cursor, current - 1));
        o.due(key, lateMs);
      }
    }
    wait();
  }
}

function spaceOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
