// What becomes of the Events that are recorded, as metrics.
import type { EventObserver, EventRecorder } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { define } from "./define.ts";

/** Counts the events of all recorders of this process. */
export interface EventTelemetry {
  readonly observer: EventObserver;
  /** Adds what waits in a recorder. */
  follow(recorder: Pick<EventRecorder, "waiting">): void;
}

/** Each event that was recorded waits, is in the count of an Event object, or is lost. */
export function createEventTelemetry(registry: Registry): EventTelemetry {
  const { counter, sampled } = define(registry);
  const recorders: Pick<EventRecorder, "waiting">[] = [];
  const recorded = counter("plimsoll_events_recorded_total", "Events recorded.");
  const combined = counter(
    "plimsoll_events_combined_total",
    "Events added to the count of an earlier Event.",
  );
  const lost = counter(
    "plimsoll_events_lost_total",
    "Lost events: rate_limited (too many for the object), queue_full, or write_failed.",
    ["reason"],
  );
  for (const reason of ["rate_limited", "queue_full", "write_failed"] as const) lost.inc({ reason }, 0);
  sampled("plimsoll_waiting_events", "Events waiting to be written.", () =>
    recorders.reduce((sum, { waiting }) => sum + waiting, 0),
  );
  return {
    observer: {
      recorded: () => recorded.inc(),
      combined: () => combined.inc(),
      lost: (reason, events) => lost.inc({ reason }, events),
    },
    follow: (recorder) => void recorders.push(recorder),
  };
}
