// The metrics of the event streams.
import { Counter, Gauge, type Registry } from "prom-client";

/** Returns the counter of readers that did not keep up. */
export function registerStreams(registry: Registry, size: () => number): Counter {
  registry.registerMetric(
    new Gauge({
      name: "plimsoll_event_streams",
      help: "Event streams that are open.",
      registers: [],
      collect() {
        this.set(size());
      },
    }),
  );
  return new Counter({
    name: "plimsoll_event_streams_dropped_total",
    help: "Event streams that were ended because their reader did not keep up.",
    registers: [registry],
  });
}
