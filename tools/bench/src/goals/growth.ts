// G8: how cost grows with the number of objects, and with that of the series that an adapter discovers.
import { measureSeries } from "./discovered-series.ts";
import { microsEach } from "./fleet.ts";
import { atMost, type Row, withUnit } from "./result.ts";
import type { Session } from "./session.ts";
import { measureSize } from "./sizes.ts";

export const g8 = {
  id: "G8",
  title: "Growth between 1,000 and 20,000 objects, and with 300,000 discovered series",
  peer: "prometheus-adapter",
  measure: measureGrowth,
} as const;

const [few, many] = [1000, 20_000];
/** Of prometheus-adapter 0.12 without one in this run. */
const knownBytesEach = 3000;

async function measureGrowth(session: Session): Promise<{ rows: readonly Row[]; notes: readonly string[] }> {
  const none = await measureSize(session, 1);
  const [small, large] = [await measureSize(session, few), await measureSize(session, many)];
  const perObject = (rssMiB: number, objects: number): number => ((rssMiB - none.rssMiB) * 1024) / objects;
  const [smallEach, largeEach] = [
    perObject(small.rssMiB, session.objects(few)),
    perObject(large.rssMiB, session.objects(many)),
  ];
  const { ours, theirs, series } = await measureSeries(session);
  const peerBytes = theirs ?? knownBytesEach;
  return {
    rows: [
      atMost(1.2, {
        what: "CPU of an evaluation, 20,000 against 1,000 objects",
        value: microsEach(large) / microsEach(small),
        unit: "×",
        also: `${withUnit(microsEach(small), "µs")} and ${withUnit(microsEach(large), "µs")}`,
      }),
      atMost(1.2, {
        what: "memory of an object, 20,000 against 1,000 objects",
        value: largeEach / smallEach,
        unit: "×",
        also: `${withUnit(smallEach, "KiB")} and ${withUnit(largeEach, "KiB")} above that of none`,
      }),
      atMost(0.1, {
        what: `adapter: memory of a discovered series against prometheus-adapter, ${series.toLocaleString("en-US")} series`,
        value: ours / peerBytes,
        unit: "×",
        also: withUnit(ours, "bytes"),
        peer: theirs === undefined ? undefined : withUnit(theirs, "bytes"),
      }),
    ],
    notes:
      theirs === undefined
        ? [`without PROM_ADAPTER the last row takes the ${knownBytesEach} bytes measured before`]
        : [],
  };
}
