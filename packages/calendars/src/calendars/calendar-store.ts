// Calendars that were read, by their text, and the requests that wait for one.
import { createHash } from "node:crypto";
import {
  type BoundedCache,
  type Clock,
  createBoundedCache,
  type KeyedEntries,
} from "@plimsoll/component-base";
import { type CalendarTask, refused } from "./calendar.ts";
import { namespaceOf } from "./calendar-budget.ts";
import { type CalendarQueue, createCalendarQueue, type QueuedCalendar } from "./calendar-queue.ts";
import type { CalendarResult, ReadCalendarTask } from "./calendar-tasks.ts";

/** Calendars that were read, by their text: the same one is read once for all objects. */
export interface CalendarStore {
  /**
   * Requests the calendars of an object, in place of those that it requested before. `onRead` is called once, when all
   * of them have been read.
   */
  request(owner: string, onRead: () => void): CalendarRequests;
  /** The owner waits for nothing any more. */
  drop(owner: string): void;
  /** The owners that wait for calendars. */
  readonly entries: KeyedEntries;
}

export type CalendarRequests = ReturnType<typeof request>;

export interface CalendarReading {
  readonly result: CalendarResult;
  /** It is not read yet, and counts as nothing until it is. */
  readonly isLate: boolean;
}

/** Different ones, of one object. */
const maxCalendars = 50;
const maxBytes = 32_000_000;
const bytesPerSpan = 100;
const keptMs = 86_400_000;
/** A calendar that was refused is read again after this time: it may have been slow because the machine was busy. */
export const refusedForMs = 600_000;
const maxWaitMs = 30_000;

interface Pending {
  readonly task: CalendarTask;
  readonly owners: Set<string>;
  /** How many of them each namespace has. */
  readonly namespaces: Map<string, number>;
}

interface State {
  readonly runTask: ReadCalendarTask;
  readonly clock: Clock;
  readonly known: BoundedCache<CalendarResult>;
  readonly pending: Map<string, Pending>;
  readonly owners: Map<string, { readonly sinceMs: number; readonly keys: Set<string>; onRead: () => void }>;
  readonly queue: CalendarQueue;
  runningKey: string | undefined;
  cancelResume: () => void;
}

/** One calendar is read at a time, and namespaces take turns: many or slow ones of one namespace delay its own only. */
export function createCalendarStore(deps: Pick<State, "runTask" | "clock">): CalendarStore {
  const { clock } = deps;
  const timing = {
    nowMs: () => clock.nowMs(),
    after: (delayMs: number, run: () => void) => clock.after(delayMs, run),
  };
  const known = createBoundedCache<CalendarResult>({
    ...timing,
    name: "calendars",
    maxBytes,
    ttlMs: keptMs,
    sizeOf: (result) =>
      typeof result === "string"
        ? 2 * result.length
        : bytesPerSpan * (result.days.length + result.spans.length),
  });
  const state: State = {
    ...deps,
    known,
    pending: new Map(),
    owners: new Map(),
    queue: createCalendarQueue(timing),
    runningKey: undefined,
    cancelResume: () => {},
  };
  return {
    request: (owner, onRead) => request(state, owner, onRead),
    drop: (owner) => waitFor(state, owner, new Set(), () => {}),
    entries: state.owners,
  };
}

function request(state: State, owner: string, onRead: () => void) {
  const { clock, known, owners } = state;
  const requested = new Set<string>();
  const missing = new Set<string>();
  const hashes = new Map<string, string>();
  return {
    /** What a calendar says; undefined while it is being read, for half a minute at the most. */
    read(task: CalendarTask): CalendarReading | undefined {
      // A thousand entries may name the same large file.
      const hash = hashes.get(task.text) ?? hashOf(task.text);
      hashes.set(task.text, hash);
      const key = JSON.stringify([hash, task.timeZone, task.fromMs, task.toMs]);
      if (requested.size >= maxCalendars && !requested.has(key)) return { result: tooMany, isLate: false };
      requested.add(key);
      const result = known.get(key) ?? readNow(state, owner, key, task);
      if (result !== undefined) return { result, isLate: false };
      missing.add(key);
      join(state, owner, key, task);
      const { sinceMs = clock.nowMs() } = owners.get(owner) ?? {};
      const isLate = clock.nowMs() - sinceMs > maxWaitMs;
      return isLate ? { result: late, isLate } : undefined;
    },
    /** Nothing more is requested. */
    end: () => waitFor(state, owner, missing, onRead),
  };
}

/** A thread that has nothing to do begins at once; without one it is read here. */
function readNow(state: State, owner: string, key: string, task: CalendarTask): CalendarResult | undefined {
  const namespace = namespaceOf(owner);
  if (state.runningKey !== undefined || state.queue.isPaused(namespace, state.clock.nowMs()))
    return undefined;
  const result = run(state, namespace, task);
  if (!(result instanceof Promise)) return keep(state, key, result);
  void work(state, { key, namespace }, result);
  return undefined;
}

function join({ pending, runningKey, queue }: State, owner: string, key: string, task: CalendarTask): void {
  const entry = pending.get(key) ?? {
    task,
    owners: new Set<string>(),
    namespaces: new Map<string, number>(),
  };
  pending.set(key, entry);
  if (entry.owners.has(owner)) return;
  entry.owners.add(owner);
  const namespace = namespaceOf(owner);
  entry.namespaces.set(namespace, (entry.namespaces.get(namespace) ?? 0) + 1);
  if (key !== runningKey) queue.add(namespace, key);
}

function leave({ pending, queue }: State, owner: string, key: string): void {
  const entry = pending.get(key);
  if (entry?.owners.delete(owner) !== true) return;
  const namespace = namespaceOf(owner);
  const count = (entry.namespaces.get(namespace) ?? 1) - 1;
  entry.namespaces.set(namespace, count);
  if (count === 0) queue.remove(namespace, key);
  if (entry.owners.size === 0) pending.delete(key);
}

/** What the owner requested before, and no longer does, is not read for it: texts may change faster than they are read. */
function waitFor(state: State, owner: string, keys: Set<string>, onRead: () => void): void {
  const { clock, owners } = state;
  const before = owners.get(owner);
  for (const key of before?.keys ?? []) if (!keys.has(key)) leave(state, owner, key);
  if (keys.size === 0) owners.delete(owner);
  else owners.set(owner, { sinceMs: before?.sinceMs ?? clock.nowMs(), keys, onRead });
  if (state.runningKey === undefined) resume(state);
}

function keep({ known }: State, key: string, result: CalendarResult): CalendarResult {
  const isRefused = typeof result !== "string" && result.refused !== undefined;
  known.set(key, result, isRefused ? refusedForMs : keptMs);
  return result;
}

async function work(state: State, queued: QueuedCalendar, running: Promise<CalendarResult>): Promise<void> {
  state.runningKey = queued.key;
  keep(state, queued.key, await running.catch(() => "cannot be read because of a bug"));
  try {
    done(state, queued.key);
  } finally {
    // A bug of who is called must not end the reading for all.
    state.runningKey = undefined;
    next(state);
  }
}

function next(state: State): void {
  const queued = state.queue.next(state.clock.nowMs());
  const task = queued && state.pending.get(queued.key)?.task;
  if (queued !== undefined && task !== undefined)
    void work(state, queued, Promise.resolve(run(state, queued.namespace, task)));
  else resume(state);
}

function run(
  { clock, runTask, queue }: State,
  namespace: string,
  task: CalendarTask,
): CalendarResult | Promise<CalendarResult> {
  return runTask(task, (tookMs) => queue.took(namespace, tookMs, clock.nowMs()));
}

function done({ owners, pending, queue }: State, key: string): void {
  const entry = pending.get(key);
  pending.delete(key);
  for (const namespace of entry?.namespaces.keys() ?? []) queue.remove(namespace, key);
  for (const owner of entry?.owners ?? []) {
    const waiting = owners.get(owner);
    waiting?.keys.delete(key);
    if (waiting?.keys.size !== 0) continue;
    owners.delete(owner);
    waiting.onRead();
  }
}

/** What waits for the end of a pause. */
function resume(state: State): void {
  const { clock, queue } = state;
  state.cancelResume();
  const atMs = queue.resumesAtMs();
  if (atMs === undefined) return;
  state.cancelResume = clock.after(Math.max(0, atMs - clock.nowMs()), () => {
    if (state.runningKey === undefined) next(state);
  });
}

const tooMany: CalendarResult = refused(`is too many: an object can use ${maxCalendars} different calendars`);
const late: CalendarResult = refused("is not read yet: waiting for other calendars");

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
