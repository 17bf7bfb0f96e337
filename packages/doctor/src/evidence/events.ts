// Events of the API: which object they are about, when they happened and how often.
import { instantMs } from "@plimsoll/core";
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import { at, numberOf } from "./fields.ts";

/** Events about an object of the namespace, in the order of time. */
export function eventsAbout(
  events: readonly Fields[],
  object: { readonly kind: string; readonly name: string },
): readonly Fields[] {
  return events
    .filter((event) => {
      const about = event["involvedObject"] ?? event["regarding"];
      return textOf(at(about, "kind")) === object.kind && textOf(at(about, "name")) === object.name;
    })
    .toSorted((a, b) => (eventTimeMs(a) ?? 0) - (eventTimeMs(b) ?? 0));
}

/** When it happened last. */
export function eventTimeMs(event: Fields): number | undefined {
  return (
    instantMs(at(event, "series", "lastObservedTime")) ??
    instantMs(event["lastTimestamp"]) ??
    instantMs(event["deprecatedLastTimestamp"]) ??
    instantMs(event["eventTime"])
  );
}

/** When it happened first. */
export function eventStartMs(event: Fields): number | undefined {
  return (
    instantMs(event["firstTimestamp"]) ??
    instantMs(event["deprecatedFirstTimestamp"]) ??
    instantMs(event["eventTime"]) ??
    eventTimeMs(event)
  );
}

export function eventCount(event: Fields): number {
  return (
    numberOf(at(event, "series", "count")) ??
    numberOf(event["count"]) ??
    numberOf(event["deprecatedCount"]) ??
    1
  );
}

/** Its message, whichever API version it is of. */
export function eventMessage(event: Fields): string {
  return textOf(event["message"]) || textOf(event["note"]);
}

const combined = "(combined from similar events): ";

/** One of many that differ in their messages: it has the message of the last one, and the count of all. */
export function isCombined(event: Fields): boolean {
  return eventMessage(event).startsWith(combined);
}

/** One change of replicas that an HPA's controller made. */
export interface Rescale {
  readonly atMs: number;
  readonly replicas: number;
  /** Undefined where the reason does not say. */
  readonly direction: "up" | "down" | undefined;
}

/** The changes that events of an autoscaler report, oldest first; of repeated ones the first and the last. */
export function rescalesOf(
  events: readonly Fields[],
  object: { kind: string; name: string },
): readonly Rescale[] {
  return eventsAbout(events, object)
    .filter((event) => event["reason"] === "SuccessfulRescale")
    .flatMap((event): readonly Rescale[] => {
      const message = eventMessage(event);
      const replicas = Number(/^New size: (\d+)/.exec(message)?.[1] ?? NaN);
      if (!Number.isInteger(replicas)) return [];
      const direction = / above target/.test(message)
        ? "up"
        : / below target/i.test(message)
          ? "down"
          : undefined;
      const [firstMs, lastMs] = [eventStartMs(event), eventTimeMs(event)];
      const times = firstMs === lastMs ? [lastMs] : [firstMs, lastMs];
      return times.flatMap((atMs) => (atMs === undefined ? [] : [{ atMs, replicas, direction }]));
    })
    .toSorted((a, b) => a.atMs - b.atMs);
}
