// The number of entries of what is kept by object, as a metric.
import type { EntryMeter, KeyedEntries } from "@plimsoll/component-base";
import type { Registry } from "prom-client";
import { define } from "./define.ts";

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
  define(registry).series(
    "plimsoll_object_entries",
    "Entries in indexes, caches, and queues with one key per object.",
    ["cache"],
    (gauge) => {
      for (const [cache, size] of meter.sizes()) gauge.set({ cache }, size);
    },
  );
}
