// Records events, and reports those that are lost.
import { type Clock, type Logger, waitAtMost } from "@plimsoll/component-base";
import { apiErrorText, createEventRecorder, type EventRecorder, type KubeClient } from "@plimsoll/kube";
import type { EventTelemetry } from "./event-telemetry.ts";

export interface LoggedEventsDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Absent: nothing is counted. */
  readonly eventTelemetry?: EventTelemetry;
}

export interface LoggedEvents extends EventRecorder {
  /** Waits a short while for what is to be written, at the end of the process. */
  close(): Promise<void>;
}

/** What is left to write is worth a short wait at the end, not a long one. */
const maxFlushMs = 5000;

/** Records events under a component's name; one that cannot be recorded is logged. */
export function createLoggedEvents(component: string, deps: LoggedEventsDeps): LoggedEvents {
  const { client, clock, random, log, eventTelemetry } = deps;
  const events = createEventRecorder({
    client,
    component,
    clock,
    random,
    onError: (error) => log.warn({ error: apiErrorText(error) }, "could not record an event"),
    ...(eventTelemetry === undefined ? {} : { observer: eventTelemetry.observer }),
  });
  eventTelemetry?.follow(events);
  return Object.assign(events, {
    async close() {
      await waitAtMost(clock, maxFlushMs, events.flush());
      const { waiting } = events;
      if (waiting > 0) log.warn({ events: waiting, component }, "stopped before all events were written");
    },
  });
}
