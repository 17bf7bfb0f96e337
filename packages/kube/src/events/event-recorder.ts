// Records Events of objects without delaying the caller.
import {
  backoffMs,
  type Clock,
  cacheTiming,
  createBoundedCache,
  sleep,
  systemClock,
} from "@plimsoll/component-base";
import { publicText } from "@plimsoll/core/redact";
import { ApiError, ConnectionError, retryAfterOf } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { createNamespaceSlots } from "../controller/namespace-slots.ts";
import type { ObjectReference } from "../objects/object.ts";
import { safely } from "../safely.ts";
import { createCorrelator, type RecordedEvent } from "./correlate.ts";
import { type EventEntry, writeEvent } from "./write-event.ts";

/** Records Events as kubectl shows them. */
export interface EventRecorder {
  /**
   * Never throws, never waits: the event is written later. The same event once more only counts up; an object that has
   * too many loses some.
   */
  record(regarding: ObjectReference, event: RecordedEvent): void;
  /** Resolves when all that was recorded has been written or given up; failures are not retried. */
  flush(): Promise<void>;
  /** Event objects that are to be written. */
  readonly waiting: number;
}

/** Why an event is in no Event object: its object has too many, too many wait, or it could not be written. */
export type EventLoss = "rate_limited" | "queue_full" | "write_failed";

/** Counts what becomes of events: each that is recorded waits, is in the count of an Event object, or is lost. */
export interface EventObserver {
  recorded(): void;
  /** It counts into an Event object that is there, or waits to be written. */
  combined(): void;
  lost(reason: EventLoss, events: number): void;
}

/** Who records, and through which client. */
export interface EventRecorderOptions {
  readonly client: KubeClient;
  /** Who records, as in `source.component`. */
  readonly component: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Called for events that could not be written, or were too many to keep. */
  readonly onError?: (error: unknown) => void;
  readonly observer?: EventObserver;
}

const maxEntries = 4096;
const maxBytes = 16 * 1024 * 1024;
/** A single namespace has half of it at most. About 1 kB each. */
const maxWaiting = 20_000;
const maxMessage = 1024;
/** Before it is cut: a part of an address or a secret is not recognized. */
const maxExamined = 16 * 1024;
const maxAttempts = 5;
/** Events are written one after the other; with so many more that wait, so many at a time. */
const waitingPerWorker = 100;
const maxWorkers = 10;
/** A worker whose write takes longer leaves its place to another one. So many may, and half of them for one namespace. */
const slowAfterMs = 500;
const maxSlow = 10;

type State = ReturnType<typeof newState>;

function newState(options: EventRecorderOptions) {
  const { clock = systemClock } = options;
  return {
    options,
    clock,
    random: options.random ?? (() => Math.random()),
    correlate: createCorrelator(clock),
    entries: createBoundedCache<EventEntry>({
      ...cacheTiming(clock),
      name: "events",
      maxBytes,
      maxEntries,
      maxKeyLength: 4 * maxMessage,
      sizeOf: ({ message }) => 1024 + 2 * message.length,
      ttlMs: 24 * 3_600_000,
    }),
    /** What is to be written, by its key; one that happens once more before that is written once, with its count. */
    waiting: new Map<string, EventEntry>(),
    /** Those of which a write is under way: there is one at a time of each. */
    writing: new Set<EventEntry>(),
    slots: createNamespaceSlots(maxWaiting),
    slow: createNamespaceSlots(maxSlow),
    /** How many have a place: one that is slow, or has found no work, is no longer counted, though it has not ended yet. */
    working: 0,
    workers: new Set<Promise<void>>(),
    /** Ends the waits between attempts. */
    hurry: new AbortController(),
    flushing: 0,
    serial: 0,
    /** Not logged yet. */
    refused: 0,
  };
}

/** Writes events, with retries. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const state = newState(options);
  return {
    get waiting() {
      return state.waiting.size + state.writing.size;
    },
    record: (regarding, event) => safely(() => add(state, regarding, event), options.onError),
    async flush() {
      state.flushing += 1;
      state.hurry.abort();
      while (state.workers.size > 0) await Promise.all(state.workers);
      state.flushing -= 1;
      if (state.flushing === 0) state.hurry = new AbortController();
    },
  };
}

function add(state: State, regarding: ObjectReference, recorded: RecordedEvent): void {
  const { clock, correlate, entries, slots, waiting } = state;
  const { observer } = state.options;
  const nowMs = clock.nowMs();
  observer?.recorded();
  // Before it becomes a part of keys.
  const event = {
    ...recorded,
    message: publicText(recorded.message.slice(0, maxExamined)).slice(0, maxMessage),
  };
  const correlated = correlate(regarding, event, nowMs);
  if (correlated === undefined) {
    observer?.lost("rate_limited", 1);
    return;
  }
  const { key, message } = correlated;
  const { namespace: own = "" } = regarding;
  const namespace = own === "" ? "default" : own;
  // The cache may have dropped one that waits.
  let entry = waiting.get(key) ?? entries.get(key);
  if (!waiting.has(key) && !(slots.isWithinShare(namespace) && slots.take(namespace))) {
    state.refused += 1;
    observer?.lost("queue_full", 1);
    return;
  }
  if (entry === undefined) {
    const { component } = state.options;
    const name = eventName(state, regarding.name ?? "", nowMs);
    const about = { ...event, message, regarding, component, namespace, name };
    entry = { ...about, firstAtMs: nowMs, lastAtMs: nowMs, count: 1, accounted: 0, isStored: false };
    entries.set(key, entry);
  } else {
    observer?.combined();
    entry.count += 1;
    entry.lastAtMs = nowMs;
    entry.message = message;
  }
  waiting.set(key, entry);
  employ(state);
}

/** As many workers as there is work for. */
function employ(state: State): void {
  const { waiting, workers } = state;
  if (state.working >= Math.min(maxWorkers, 1 + Math.floor(waiting.size / waitingPerWorker))) return;
  state.working += 1;
  const worker = work(state).finally(() => workers.delete(worker));
  workers.add(worker);
}

async function work(state: State): Promise<void> {
  // Lets the caller finish before the first request.
  await Promise.resolve();
  for (let next = take(state); next !== undefined; next = take(state)) {
    state.writing.add(next);
    const wasSlow = await writeInPlace(state, next);
    state.writing.delete(next);
    if (!wasSlow) continue;
    employ(state);
    return;
  }
  state.working -= 1;
  const { refused } = state;
  state.refused = 0;
  if (refused > 0)
    report(state, new Error(`${String(refused)} events were dropped: too many are waiting to be written`));
}

/** Whether the write was so slow that the worker left its place. */
async function writeInPlace(state: State, entry: EventEntry): Promise<boolean> {
  const { clock, slow } = state;
  let isSlow = false;
  let cancel = clock.after(slowAfterMs, leave);
  function leave(): void {
    isSlow = slow.take(entry.namespace);
    if (!isSlow) {
      cancel = clock.after(slowAfterMs, leave);
      return;
    }
    state.working -= 1;
    employ(state);
  }
  await write(state, entry);
  cancel();
  if (isSlow) slow.release(entry.namespace);
  return isSlow;
}

/** The first that waits and may be written. Who writes it now, or writes slowly in its namespace, looks again after that. */
function take({ slots, slow, waiting, writing }: State): EventEntry | undefined {
  for (const [key, entry] of waiting) {
    if (writing.has(entry) || !slow.isWithinShare(entry.namespace)) continue;
    waiting.delete(key);
    slots.release(entry.namespace);
    return entry;
  }
  return undefined;
}

async function write(state: State, entry: EventEntry): Promise<void> {
  const { clock, options, random } = state;
  for (let attempt = 0; ; attempt += 1) {
    const { count } = entry;
    try {
      await writeEvent(options.client, entry);
      entry.accounted = count;
      return;
    } catch (error) {
      const isFlushing = state.flushing > 0;
      if (isFlushing && error instanceof ConnectionError)
        for (let left = take(state); left !== undefined; left = take(state)) giveUp(state, left);
      if (isFlushing || attempt + 1 >= maxAttempts || !mayPass(error)) {
        giveUp(state, entry);
        report(state, error);
        return;
      }
      const waitMs = backoffMs(attempt, { baseMs: 1000, maxMs: 10_000, random });
      await sleep(clock, Math.max(waitMs, Math.min(retryAfterOf(error) ?? 0, 60_000)), state.hurry.signal);
    }
  }
}

/** If it happens once more, the count of its Event has these events all the same. */
function giveUp({ options }: State, entry: EventEntry): void {
  options.observer?.lost("write_failed", entry.count - entry.accounted);
  entry.accounted = entry.count;
}

/** Unlike any other event of this process, and of others that record about the same object at the same time. */
function eventName(state: State, object: string, nowMs: number): string {
  state.serial = (state.serial + 1) % 1_000_000;
  const suffix = (BigInt(Math.trunc(nowMs)) * 1_000_000n + BigInt(state.serial)).toString(16);
  return `${object.slice(0, 253 - suffix.length - 1)}.${suffix}`;
}

function report({ options }: State, error: unknown): void {
  safely(() => options.onError?.(error));
}

/** A quota that others use at the same time answers 409. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 409 || error.code === 429 || error.code >= 500;
  return error instanceof ConnectionError && error.kind !== "closed";
}
