import { ApiError, ConnectionError } from "./api-error.ts";
import { backoffMs } from "./backoff.ts";
import type { KubeClient } from "./client.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createBoundedMap } from "./events/bounded-map.ts";
import { createCorrelator, type RecordedEvent } from "./events/correlate.ts";
import { type EventEntry, writeEvent } from "./events/write-event.ts";
import type { ObjectReference } from "./object.ts";
import { sleep } from "./sleep.ts";

export interface EventRecorder {
  /**
   * Never throws, never waits: the event is written behind the caller's back. The same event again counts up;
   * an object that has too many loses some.
   */
  record(regarding: ObjectReference, event: RecordedEvent): void;
  /** Resolves when all that was recorded has been written or given up; failures are not tried again. */
  flush(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: KubeClient;
  /** Who tells, as in `source.component`. */
  readonly component: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Told of events that could not be written, or were too many to keep. */
  readonly onError?: (error: unknown) => void;
}

const keptEntries = 4096;
const longestQueue = 1000;
const longestMessage = 1024;
const attempts = 5;

export function createEventRecorder(o: EventRecorderOptions): EventRecorder {
  const clock = o.clock ?? systemClock;
  const random = o.random ?? (() => Math.random());
  const correlate = createCorrelator();
  const entries = createBoundedMap<EventEntry>(keptEntries);
  /** What is to be written; one that happens again before its turn is written once, with its count. */
  const due = new Set<EventEntry>();
  let working: Promise<void> | undefined;
  let hurry = new AbortController();
  let flushing = 0;
  let serial = 0;
  let lost = 0;

  function add(regarding: ObjectReference, event: RecordedEvent): void {
    const nowMs = clock.nowMs();
    const correlated = correlate(regarding, event, nowMs);
    if (correlated === undefined) return;
    if (due.size >= longestQueue) {
      lost += 1;
      return;
    }
    const message = correlated.message.slice(0, longestMessage);
    let entry = entries.get(correlated.key);
    if (entry === undefined) {
      entry = {
        regarding,
        type: event.type,
        reason: event.reason,
        component: o.component,
        namespace:
          regarding.namespace === undefined || regarding.namespace === "" ? "default" : regarding.namespace,
        name: eventName(regarding.name ?? "", nowMs),
        firstAtMs: nowMs,
        lastAtMs: nowMs,
        message,
        count: 1,
        isStored: false,
      };
      entries.set(correlated.key, entry);
    } else {
      entry.count += 1;
      entry.lastAtMs = nowMs;
      entry.message = message;
    }
    due.add(entry);
    working ??= work();
  }

  async function work(): Promise<void> {
    // Lets the caller finish what it is at before the first request.
    await Promise.resolve();
    for (const entry of due) {
      due.delete(entry);
      await write(entry);
    }
    if (lost > 0) tell(new Error(`${String(lost)} events were dropped: too many wait to be written`));
    lost = 0;
    working = undefined;
  }

  async function idle(): Promise<void> {
    if (working === undefined) return;
    await working;
    await idle();
  }

  async function write(entry: EventEntry): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await writeEvent(o.client, entry);
        return;
      } catch (error) {
        if (flushing > 0 && error instanceof ConnectionError) due.clear();
        if (flushing > 0 || attempt + 1 >= attempts || !mayPass(error)) {
          tell(error);
          return;
        }
        const retryAfterMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        const waitMs = backoffMs(attempt, { baseMs: 1000, maxMs: 10_000, random });
        await sleep(clock, Math.max(waitMs, Math.min(retryAfterMs, 60_000)), hurry.signal);
      }
    }
  }

  /** Unlike any other event of this process, and of others that tell of the same object at the same time. */
  function eventName(object: string, nowMs: number): string {
    serial = (serial + 1) % 1_000_000;
    const suffix = (BigInt(Math.trunc(nowMs)) * 1_000_000n + BigInt(serial)).toString(16);
    return `${object.slice(0, 253 - suffix.length - 1)}.${suffix}`;
  }

  function tell(error: unknown): void {
    try {
      o.onError?.(error);
    } catch {
      // Recording must not fail because reporting does.
    }
  }

  return {
    record(regarding, event) {
      try {
        add(regarding, event);
      } catch (error) {
        tell(error);
      }
    },
    async flush() {
      flushing += 1;
      hurry.abort();
      await idle();
      flushing -= 1;
      if (flushing === 0) hurry = new AbortController();
    },
  };
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 429 || error.code >= 500;
  return error instanceof ConnectionError && error.kind !== "closed";
}
