import { setImmediate } from "node:timers/promises";
import type { Clock } from "@plimsoll/kube";
import { Gauge, type Registry } from "prom-client";
import { isBoundsWla } from "./bounds/bounds-wla.ts";
import { type DecisionLog, keyOfRecord } from "./explain/decision-log.ts";
import { type NativeHpa, namespaceOf } from "./hpa/native-hpa.ts";
import { type Known, objectFamilies, type Sample } from "./object-series.ts";
import type { Objects } from "./objects.ts";
import type { Watch } from "./watch.ts";

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
    /** Those that move the bounds of HPAs are taken from here. */
    readonly wlas: Pick<Watch<NativeHpa>, "list">;
    readonly holds: (key: string) => boolean;
    readonly clock: Pick<Clock, "nowMs">;
  },
): void {
  let ofThisScrape: readonly Known[] | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  for (const { name, help, samplesOf } of objectFamilies) {
    const gauge = new Gauge({ name, help, registers: [] });
    const read = gauge.get.bind(gauge);
    registry.registerMetric(
      Object.assign(gauge, {
        async get() {
          const all = known();
          // One family after the other: each is written out before the next is made.
          const values = turn.then(() => samples(all, samplesOf));
          turn = values.catch(() => undefined);
          return { ...(await read()), values: await values };
        },
      }),
    );
  }

  async function samples(all: readonly Known[], of: (one: Known) => readonly Sample[]): Promise<Sample[]> {
    const values: Sample[] = [];
    for (const [index, one] of all.entries()) {
      if (index % batch === 0) await setImmediate();
      values.push(...of(one));
    }
    return values;
  }

  /** A scrape asks all families at once. */
  function known(): readonly Known[] {
    if (ofThisScrape !== undefined) return ofThisScrape;
    queueMicrotask(() => {
      ofThisScrape = undefined;
    });
    const nowMs = o.clock.nowMs();
    const decided = o.decisions.latest().flatMap((record) => {
      const key = keyOfRecord(record);
      const hpa = o.holds(key) ? o.objects.get(key) : undefined;
      return hpa === undefined ? [] : [{ hpa, record, nowMs }];
    });
    const moving = o.wlas
      .list()
      .filter((hpa) => isBoundsWla(hpa) && o.holds(`${namespaceOf(hpa)}/${hpa.spec.scaleTargetRef.name}`))
      .map((hpa) => ({ hpa, record: undefined, nowMs }));
    ofThisScrape = [...decided, ...moving];
    return ofThisScrape;
  }
}
