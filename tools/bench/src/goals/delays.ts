// G3, G4 and G9: the event loop, a scrape, and a storm of scales, with 10,000 objects.
import { startHelper } from "@plimsoll/testbed";
import { cpuSeconds } from "../adapter/usage.ts";
import { largeObjects, measureLarge, measureStorm } from "./large.ts";
import { atLeast, atMost, type Row, shown, withUnit } from "./result.ts";
import type { Session } from "./session.ts";

type Measured = Promise<{ readonly rows: readonly Row[]; readonly notes?: readonly string[] }>;

export const g3 = {
  id: "G3",
  title:
    "Delay of the event loop over a period with a relist of 150,000 pods, a scrape and a collection in it",
  measure: measureDelays,
} as const;

async function measureDelays(session: Session): Measured {
  const { own, bare } = (await measureLarge(session)).delays;
  const floor = (ms: number): string => withUnit(ms, "ms");
  return {
    rows: [
      atMost(25, { what: "p99.9", value: own.p999Ms, unit: "ms", floor: floor(bare.p999Ms) }),
      atMost(100, { what: "max", value: own.maxMs, unit: "ms", floor: floor(bare.maxMs) }),
      shown({ what: "p99", value: own.p99Ms, unit: "ms", floor: floor(bare.p99Ms) }),
      atLeast(1, { what: "collections of the old generation in it", value: own.majorCollections, unit: "" }),
      shown({ what: "max pause of a collection", value: own.maxCollectionMs, unit: "ms" }),
    ],
    notes: ["floor: a process that does nothing, at the same time"],
  };
}

export const g4 = { id: "G4", title: "A scrape of 10,000 objects", measure: measureScrape } as const;

async function measureScrape(session: Session): Measured {
  const { scrape } = await measureLarge(session);
  const floor = await servedBytes(scrape.bytes);
  return {
    rows: [
      atMost(0.2, { what: "CPU", value: scrape.cpuSeconds, unit: "s", floor: withUnit(floor, "s") }),
      atMost(5, { what: "size", value: scrape.bytes / 1e6, unit: "MB" }),
    ],
    notes: [
      "median of five scrapes, less what evaluations take in the same time",
      "floor: a server that sends so many bytes",
    ],
  };
}

async function servedBytes(bytes: number): Promise<number> {
  const server = await startHelper(new URL("./bytes-server.ts", import.meta.url));
  try {
    const { port } = await server.request<{ readonly port: number }>({ bytes });
    const costs: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const before = cpuSeconds(server.pid);
      await (await fetch(`http://127.0.0.1:${port}/`)).text();
      costs.push(cpuSeconds(server.pid) - before);
    }
    return costs.toSorted((one, other) => one - other)[2] ?? NaN;
  } finally {
    await server.stop();
  }
}

export const g9 = { id: "G9", title: "A storm of 10,000 scales", measure: measureScales } as const;

async function measureScales(session: Session): Measured {
  const storm = await measureStorm(session);
  const objects = session.objects(largeObjects);
  const silent = Math.max(0, objects - storm.counted - storm.reportedLost);
  return {
    rows: [
      atLeast(objects, { what: "writes of new replicas", value: storm.scales, unit: "" }),
      atMost(60, { what: "step to the last of them", value: storm.lastScaleSeconds, unit: "s" }),
      atLeast(objects, {
        what: "statuses with the new replicas",
        value: storm.statuses,
        unit: "",
        also: Number.isFinite(storm.statusSeconds)
          ? `all after ${withUnit(storm.statusSeconds, "s")}`
          : "not all",
      }),
      atLeast(objects, {
        what: "rescales that events count",
        value: storm.counted,
        unit: "",
        also: `in ${storm.events} events`,
      }),
      shown({ what: "events that the process says it lost", value: storm.reportedLost, unit: "" }),
      atMost(0, { what: "events lost without a word", value: silent, unit: "" }),
    ],
  };
}
