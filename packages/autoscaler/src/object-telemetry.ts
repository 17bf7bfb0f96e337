import { setImmediate } from "node:timers/promises";
import type { Clock } from "@plimsoll/kube";
import { Gauge, type Registry } from "prom-client";
import { type DecisionLog, keyOfRecord } from "./explain/decision-log.ts";
import { type Decided, objectFamilies, type Sample } from "./object-series.ts";
import type { Objects } from "./objects.ts";

/** Objects whose samples are made in one go; in between the loop serves others. */
const batch = 500;

/**
 * The state of every object that this process decides on. Nothing is kept between scrapes, so that the series of an
 * object go when it goes, or when another replica takes it over.
 */
export function registerObjectTelemetry(
  registry: Registry,
  o: {
    readonly decisions: Pick<DecisionLog, "latest">;
    readonly objects: Pick<Objects, "get">;
    readonly holds: (key: string) => boolean;
    readonly clock: Pick<Clock, "nowMs">;
  },
): void {
  let ofThisScrape: readonly Decided[] | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  for (const { name, help, samplesOf } of objectFamilies) {
    const gauge = new Gauge({ name, help, registers: [] });
    const read = gauge.get.bind(gauge);
    registry.registerMetric(
      Object.assign(gauge, {
        async get() {
          const all = decided();
          // One family after the other: each is written out before the next is made.
          const values = turn.then(() => samples(all, samplesOf));
          turn = values.catch(() => undefined);
          return { ...(await read()), values: await values };
        },
      }),
    );
  }

  async function samples(
    all: readonly Decided[],
    of: (one: Decided) => readonly Sample[],
  ): Promise<Sample[]> {
    const values: Sample[] = [];
    for (const [index, one] of all.entries()) {
      if (index % batch === 0) await setImmediate();
      values.push(...of(one));
    }
    return values;
  }

  /** A scrape asks all families at once. */
  function decided(): readonly Decided[] {
    if (ofThisScrape !== undefined) return ofThisScrape;
    queueMicrotask(() => {
      ofThisScrape = undefined;
    });
    const nowMs = o.clock.nowMs();
    ofThisScrape = o.decisions.latest().flatMap((record) => {
      const key = keyOfRecord(record);
      const hpa = o.holds(key) ? o.objects.get(key) : undefined;
      return hpa === undefined ? [] : [{ hpa, record, nowMs }];
    });
    return ofThisScrape;
  }
}
