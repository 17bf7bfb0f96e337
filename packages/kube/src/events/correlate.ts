// Which events of an object are the same, and which are too many.
import { type Clock, cacheTiming, createBoundedCache } from "@plimsoll/component-base";
import type { ObjectReference } from "../objects/object.ts";

/** What happened to an object. */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Which Event object an event counts into, under which message. */
export interface Correlated {
  readonly key: string;
  readonly message: string;
}

const limits = { maxBytes: 8 * 1024 * 1024, maxEntries: 4096, maxKeyLength: 8192, ttlMs: 24 * 3_600_000 };
/** So many different messages of one reason may an object have in the interval before they share one Event. */
const differentMessages = 10;
const similarIntervalMs = 600_000;
/** Events of one type that an object may have at once, and how often one more. */
const burst = 25;
const refillMs = 300_000;

/**
 * Decides which events are the same, which are so similar that they are counted together, and which are too many:
 * those give undefined.
 * @upstream client-go/tools/record/events_cache.go#EventCorrelate
 */
export function createCorrelator(
  clock: Clock,
): (regarding: ObjectReference, event: RecordedEvent, nowMs: number) => Correlated | undefined {
  const bounds = { ...limits, ...cacheTiming(clock) };
  const similar = createBoundedCache<{ readonly messages: Set<string>; lastAtMs: number }>({
    ...bounds,
    name: "similar_events",
    sizeOf: ({ messages }) => 2 * [...messages].join("").length,
  });
  const buckets = createBoundedCache<{ tokens: number; atMs: number }>({ ...bounds, name: "event_rates" });

  return (regarding, event, nowMs) => {
    const { apiVersion, kind, namespace, name, uid, fieldPath } = regarding;
    const object = [apiVersion, kind, namespace, name, uid, fieldPath, event.type];
    const correlated = combine(object, event, nowMs);
    return takeToken(JSON.stringify(object), nowMs) ? correlated : undefined;
  };

  function combine(object: readonly unknown[], event: RecordedEvent, nowMs: number): Correlated {
    const groupKey = JSON.stringify([...object, event.reason]);
    let group = similar.get(groupKey);
    if (group === undefined || nowMs - group.lastAtMs > similarIntervalMs)
      group = { messages: new Set(), lastAtMs: nowMs };
    group.lastAtMs = nowMs;
    group.messages.add(event.message);
    similar.set(groupKey, group);
    if (group.messages.size < differentMessages)
      return { key: JSON.stringify([...object, event.reason, event.message]), message: event.message };
    // The set stays at its bound: which message leaves does not matter.
    for (const message of group.messages) {
      group.messages.delete(message);
      break;
    }
    return { key: groupKey, message: `(combined from similar events): ${event.message}` };
  }

  function takeToken(key: string, nowMs: number): boolean {
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const refilled = Math.max(0, nowMs - bucket.atMs) / refillMs;
    const tokens = Math.min(burst, bucket.tokens + refilled);
    const isAllowed = tokens >= 1;
    buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    return isAllowed;
  }
}
