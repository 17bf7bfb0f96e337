// What becomes of the Events that are recorded, as metrics.
import type { EventObserver, EventRecorder } from "@plimsoll/kube";
import { Counter, Gauge, type Registry } from "prom-client";

/** Counts the events of all recorders of this process. */
export interface EventTelemetry {
  readonly observer: EventObserver;
  /** Adds what waits in a recorder. */
  follow(recorder: Pick<EventRecorder, "waiting">): void;
}

/** Each event that was recorded waits, is in the count of an Event object, or is lost. */
export function createEventTelemetry(registry: Registry): EventTelemetry {
  const registers = [registry];
  const recorders: Pick<EventRecorder, "waiting">[] = [];
  const recorded = new Counter({
    name: "plimsoll_events_recorded_total",
    help: "Events recorded.",
    registers,
  });
  const combined = new Counter({
    name: "plimsoll_events_combined_total",
    help: "Events added to the count of an earlier Event.",
    registers,
  });
  const lost = new Counter({
    name: "plimsoll_events_lost_total",
    help: "Lost events: rate_limited (too many for the object), queue_full, or write_failed.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["rate_limited", "queue_full", "write_failed"] as const) lost.inc({ reason }, 0);
  registry.registerMetric(
    new Gauge({
      name: "plimsoll_waiting_events",
      help: "Events waiting to be written.",
      registers: [],
      collect() {
        this.set(recorders.reduce((sum, { waiting }) => sum + waiting, 0));
      },
    }),
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
