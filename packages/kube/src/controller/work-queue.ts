import type { Clock, KeyedEntries } from "@plimsoll/component-base";
import { createPriorityLines, type Priority, type PriorityLines } from "./priority-lines.ts";
import { createRunLimit, type RunLimit, type RunLimitOptions } from "./run-limit.ts";

/** Runs keys, each at most once at a time, and fairly by namespace. */
export interface WorkQueue {
  readonly waiting: number;
  readonly running: number;
  readonly slow: number;
  /** Keys that wait or run. */
  readonly entries: KeyedEntries;
  /**
   * Lets the key run. For an event it runs after this call in any case; a period is skipped, and false returned, when
   * the key waits or runs already.
   */
  enqueue(key: string, priority: Priority): boolean;
  /** Like an event; resolves when the run that begins after this call has ended, or will not be. */
  enqueueAndWait(key: string): Promise<void>;
  /** Takes a waiting key out, and aborts a running one. */
  drop(key: string, reason: Error): void;
  /** No more runs begin; those under way are aborted. Resolves when they have ended. */
  stop(reason: Error): Promise<void>;
}

/** `run` must not reject; `sinceMs` is the instant of `nowMs` at which the key was enqueued. */
export interface WorkQueueOptions extends RunLimitOptions {
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly namespaceOf: (key: string) => string;
  readonly run: (key: string, signal: AbortSignal, sinceMs: number) => Promise<void>;
}

interface Entry {
  waiting: Priority | undefined;
  /** When it was enqueued. */
  sinceMs: number;
  running: AbortController | undefined;
  /** Who wait for the run that has not begun yet. */
  readonly waiters: (() => void)[];
}

/** Runs that need nothing from outside end without a pause: after so many, input and output get their turn. */
const runsPerTurn = 20;

interface State {
  readonly options: WorkQueueOptions;
  readonly entries: Map<string, Entry>;
  readonly lines: PriorityLines;
  readonly limit: RunLimit;
  /** Who wait for the end of all runs. */
  readonly idle: (() => void)[];
  /** Runs that may begin before the next pause. */
  leftInTurn: number;
  isPausing: boolean;
  isStopped: boolean;
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const state: State = {
    options,
    entries: new Map(),
    lines: createPriorityLines(options.namespaceOf, options.nowMs),
    limit: createRunLimit(options.clock, options, () => pump(state)),
    idle: [],
    leftInTurn: runsPerTurn,
    isPausing: false,
    isStopped: false,
  };
  const { entries, idle, lines, limit } = state;
  return {
    get waiting() {
      return lines.size;
    },
    get running() {
      return limit.running;
    },
    get slow() {
      return limit.slow;
    },
    entries,
    enqueue: (key, priority) => enqueue(state, key, priority),
    enqueueAndWait: (key) =>
      new Promise((resolve) => {
        if (state.isStopped) resolve();
        else enqueue(state, key, "event", resolve);
      }),
    drop: (key, reason) => drop(state, key, reason),
    stop(reason) {
      state.isStopped = true;
      for (const key of entries.keys()) drop(state, key, reason);
      return limit.running === 0 ? Promise.resolve() : new Promise((resolve) => void idle.push(resolve));
    },
  };
}

/** `onEnded` is called when the run that begins after this call has ended; a run may begin before this returns. */
function enqueue(state: State, key: string, priority: Priority, onEnded?: () => void): boolean {
  const { entries, lines, options } = state;
  if (state.isStopped) return false;
  const entry = entries.get(key) ?? { waiting: undefined, sinceMs: 0, running: undefined, waiters: [] };
  if (onEnded !== undefined) entry.waiters.push(onEnded);
  const isBusy = entry.waiting !== undefined || entry.running !== undefined;
  if (isBusy && (priority === "periodic" || entry.waiting === "event")) return priority === "event";
  if (entry.waiting === undefined) entry.sinceMs = options.nowMs();
  else lines.remove(key);
  entry.waiting = priority;
  entries.set(key, entry);
  // One that runs gets into line when that run has ended.
  if (entry.running !== undefined) return true;
  lines.push(key, priority);
  pump(state);
  return true;
}

function drop({ entries, lines }: State, key: string, reason: Error): void {
  const entry = entries.get(key);
  if (entry === undefined) return;
  lines.remove(key);
  entry.waiting = undefined;
  if (entry.running === undefined) entries.delete(key);
  else entry.running.abort(reason);
  resolveAll(entry.waiters);
}

/** Begins as many runs as may be. */
function pump(state: State): void {
  const { entries, lines, limit } = state;
  while (!state.isStopped && limit.hasCapacity && lines.size > 0) {
    if (state.leftInTurn === 0) return pause(state);
    const key = lines.shift(limit.mayServe);
    const entry = key === undefined ? undefined : entries.get(key);
    if (key === undefined || entry === undefined) return;
    state.leftInTurn--;
    void run(state, key, entry);
  }
}

function pause(state: State): void {
  if (state.isPausing) return;
  state.isPausing = true;
  state.options.clock.after(0, () => {
    state.isPausing = false;
    state.leftInTurn = runsPerTurn;
    pump(state);
  });
}

async function run(state: State, key: string, entry: Entry): Promise<void> {
  const { entries, lines, limit, options } = state;
  const waiters = entry.waiters.splice(0);
  entry.waiting = undefined;
  entry.running = new AbortController();
  const end = limit.begin(options.namespaceOf(key));
  await options.run(key, entry.running.signal, entry.sinceMs);
  end();
  entry.running = undefined;
  resolveAll(waiters);
  if (entry.waiting === undefined) entries.delete(key);
  else lines.push(key, entry.waiting);
  pump(state);
  if (limit.running > 0) return;
  // Nothing is left that could go on and on.
  if (lines.size === 0) state.leftInTurn = runsPerTurn;
  resolveAll(state.idle);
}

function resolveAll(waiters: (() => void)[]): void {
  for (const resolve of waiters.splice(0)) resolve();
}
