// G1: 10,000 objects with 15 pods each, evaluated every 3 s on one core.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@plimsoll/testbed";
import { type Fleet, measureWindow, microsEach, startFleet, type Window } from "./fleet.ts";
import { atLeast, atMost, type Row, withUnit } from "./result.ts";
import type { Session } from "./session.ts";
import { usageFloor } from "./usage-floor.ts";

export const g1 = {
  id: "G1",
  title: "10,000 objects × 15 pods, every 3 s, on one core",
  measure: measurePeriod,
} as const;

const pods = 15;
const periodSeconds = 3;
const settlePeriods = 10;
const measuredPeriods = 10;

async function measurePeriod(session: Session): Promise<{ readonly rows: readonly Row[] }> {
  const objects = session.objects(10_000);
  const fleet = await startFleet(session, { objects, pods, periodSeconds });
  try {
    session.progress(`the autoscaler has listed ${objects * pods} pods`);
    await sleep(settlePeriods * periodSeconds * 1000);
    const window = await measureWindow(fleet, measuredPeriods * periodSeconds);
    session.progress("its periods have been measured");
    const lags = await stepLags(fleet);
    const floor = await usageFloor(fleet);
    return { rows: rowsOf(objects, window, lags, floor) };
  } finally {
    await fleet.stop();
  }
}

/** Seconds from the step of the load to each write of new replicas, sorted; those that never came are infinite. */
async function stepLags({ cluster }: Fleet): Promise<readonly number[]> {
  await cluster.step();
  const written = await until(
    "the writes of new replicas",
    async () => {
      const { lagsMs, stepped } = await cluster.lags();
      return lagsMs.length >= stepped ? lagsMs : undefined;
    },
    { timeoutMs: 30_000, everyMs: 1000 },
  ).catch(() => undefined);
  const { lagsMs, stepped } = await cluster.lags();
  const missing = Array.from({ length: stepped - lagsMs.length }, () => Infinity);
  return [...(written ?? lagsMs).map((ms) => ms / 1000), ...missing].sort((one, other) => one - other);
}

function rowsOf(objects: number, window: Window, lags: readonly number[], floor: number): readonly Row[] {
  const { seconds, evaluations, skipped, requests, latenessP50, latenessP99 } = window;
  const planned = (objects * seconds) / periodSeconds;
  const share = (micros: number): number => ((micros * objects) / 1e6 / periodSeconds) * 100;
  const lag = (part: number): number =>
    lags[Math.min(lags.length - 1, Math.floor(part * lags.length))] ?? NaN;
  const floorShare = withUnit((floor / periodSeconds) * 100, "%");
  return [
    // The window and the two scrapes do not begin and end at the same instant.
    atLeast(99, {
      what: "evaluations of those that were due",
      value: (evaluations / planned) * 100,
      unit: "%",
      also: `${skipped} skipped`,
    }),
    atMost(50, {
      what: "CPU of all evaluations, of a core; floor: only reading and parsing the usage",
      value: share(microsEach(window)),
      unit: "%",
      floor: floorShare,
    }),
    {
      what: "CPU of an evaluation",
      measured: withUnit(microsEach(window), "µs"),
      floor: withUnit((floor / objects) * 1e6, "µs"),
    },
    atMost(1, {
      what: "lateness of an evaluation, p99 is at most",
      value: latenessP99,
      unit: "s",
      also: `p50 at most ${latenessP50} s`,
    }),
    atMost(0.05, {
      what: "API requests for each object and period",
      value: requests / planned,
      unit: "",
    }),
    atMost(3.5, {
      what: `step of the load to the write of new replicas, p99 of ${lags.length}`,
      value: lag(0.99),
      unit: "s",
      also: `p50 ${withUnit(lag(0.5), "s")}`,
    }),
  ];
}
