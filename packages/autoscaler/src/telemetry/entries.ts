// The number of entries of what is kept by object, as a metric.
import type { EntryMeter, KeyedEntries } from "@plimsoll/component-base";
import { Gauge, type Registry } from "prom-client";

/** Adds the parts of something under its name: "bounds_due", "bounds_moved". */
export function meterEntries(
  meter: EntryMeter | undefined,
  name: string,
  parts: Readonly<Record<string, KeyedEntries>>,
): void {
  for (const [part, entries] of Object.entries(parts)) meter?.add(`${name}_${part}`, entries);
}

/** Read when metrics are scraped. */
export function registerEntries(registry: Registry, meter: EntryMeter): void {
  registry.registerMetric(
    new Gauge({
      name: "plimsoll_object_entries",
      help: "Entries in indexes, caches, and queues with one key per object.",
      labelNames: ["cache"],
      registers: [],
      collect() {
        for (const [cache, size] of meter.sizes()) this.set({ cache }, size);
      },
    }),
  );
}
