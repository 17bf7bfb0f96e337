// Records Events of objects without delaying the caller.
import {
  backoffMs,
  type Clock,
  cacheTiming,
  createBoundedCache,
  sleep,
  systemClock,
} from "@plimsoll/component-base";
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
}

const maxEntries = 4096;
const maxBytes = 16 * 1024 * 1024;
/** A single namespace has half of it at most. */
const maxWaiting = 2000;
const maxMessage = 1024;
const maxAttempts = 5;

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
    /** What is to be written; one that happens once more before that is written once, with its count. */
    waiting: new Set<EventEntry>(),
    slots: createNamespaceSlots(maxWaiting),
    working: undefined as Promise<void> | undefined,
    /** Ends the waits between attempts. */
    hurry: new AbortController(),
    flushing: 0,
    serial: 0,
    lost: 0,
  };
}

/** Writes events one after the other, with retries. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const state = newState(options);
  return {
    record: (regarding, event) => safely(() => add(state, regarding, event), options.onError),
    async flush() {
      state.flushing += 1;
      state.hurry.abort();
      while (state.working !== undefined) await state.working;
      state.flushing -= 1;
      if (state.flushing === 0) state.hurry = new AbortController();
    },
  };
}

function add(state: State, regarding: ObjectReference, recorded: RecordedEvent): void {
  const { clock, correlate, entries, slots, waiting } = state;
  const nowMs = clock.nowMs();
  // Before it becomes a part of keys.
  const event = { ...recorded, message: recorded.message.slice(0, maxMessage) };
  const correlated = correlate(regarding, event, nowMs);
  if (correlated === undefined) return;
  const { namespace: own = "" } = regarding;
  const namespace = own === "" ? "default" : own;
  let entry = entries.get(correlated.key);
  const isWaiting = entry !== undefined && waiting.has(entry);
  if (!isWaiting && !(slots.isWithinShare(namespace) && slots.take(namespace))) {
    state.lost += 1;
    return;
  }
  if (entry === undefined) {
    const { component } = state.options;
    const name = eventName(state, regarding.name ?? "", nowMs);
    const about = { ...event, message: correlated.message, regarding, component, namespace, name };
    entry = { ...about, firstAtMs: nowMs, lastAtMs: nowMs, count: 1, isStored: false };
    entries.set(correlated.key, entry);
  } else {
    entry.count += 1;
    entry.lastAtMs = nowMs;
    entry.message = correlated.message;
  }
  waiting.add(entry);
  state.working ??= work(state);
}

async function work(state: State): Promise<void> {
  // Lets the caller finish before the first request.
  await Promise.resolve();
  for (const entry of state.waiting) {
    leave(state, entry);
    await write(state, entry);
  }
  const { lost } = state;
  if (lost > 0) report(state, new Error(`${String(lost)} events were dropped: too many wait to be written`));
  state.lost = 0;
  state.working = undefined;
}

function leave({ slots, waiting }: State, entry: EventEntry): void {
  if (waiting.delete(entry)) slots.release(entry.namespace);
}

async function write(state: State, entry: EventEntry): Promise<void> {
  const { clock, options, random, waiting } = state;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await writeEvent(options.client, entry);
      return;
    } catch (error) {
      const isFlushing = state.flushing > 0;
      if (isFlushing && error instanceof ConnectionError) for (const one of waiting) leave(state, one);
      if (isFlushing || attempt + 1 >= maxAttempts || !mayPass(error)) {
        report(state, error);
        return;
      }
      const waitMs = backoffMs(attempt, { baseMs: 1000, maxMs: 10_000, random });
      await sleep(clock, Math.max(waitMs, Math.min(retryAfterOf(error) ?? 0, 60_000)), state.hurry.signal);
    }
  }
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

function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 429 || error.code >= 500;
  return error instanceof ConnectionError && error.kind !== "closed";
}
