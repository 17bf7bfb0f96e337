// Prints what was measured on the adapter, beside the goals.
import type { CaseResult } from "./cases.ts";
import type { Measured } from "./measure.ts";
import type { MixedResult, SyncResult } from "./mixed.ts";
import type { RealResult } from "./real.ts";

export interface Relist {
  readonly bytes: number;
  readonly cheapestBytes: number;
}

export interface BenchResult {
  readonly cases: readonly CaseResult[];
  /** A bare server at 667 requests a second. */
  readonly floorMix: Measured;
  readonly mixed: readonly MixedResult[];
  readonly sync: SyncResult | undefined;
  readonly theirMixed: readonly MixedResult[];
  readonly relist: Relist;
  readonly real: RealResult | undefined;
  readonly memory: { readonly residentMb: number; readonly peakMb: number };
  /** Requests a second from a server that only sends a cached response, against those from the adapter. */
  readonly driverHeadroom: number;
}

export interface Goal {
  readonly id: string;
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  readonly isMet: boolean;
}

type Row = Readonly<Record<string, string | number>>;

export function printReport(result: BenchResult): void {
  print(
    "one kind of request, over and over; CPU of the server in µs per request (= s per 1,000,000)",
    result.cases.flatMap(caseRows),
  );
  print("1,000 HPAs over 50 namespaces, open loop", result.mixed.map(mixedRow));
  const { p50Ms, p99Ms, maxMs } = result.floorMix;
  console.log(
    `the floor at 667 requests/s: p50 ${round(p50Ms)}, p99 ${round(p99Ms)}, max ${round(maxMs)} ms`,
  );
  if (result.sync !== undefined) {
    const { queries, minQueries, periodQueries } = result.sync;
    console.log(
      `queries of 1,000 HPAs: ${queries} at once, ${periodQueries} over 15 s; rules × namespaces: ${minQueries}`,
    );
  }
  if (result.theirMixed.length > 0) {
    print("the same against prometheus-adapter", result.theirMixed.map(mixedRow));
  }
  print(
    "goals",
    goals(result).map((goal) => ({
      id: goal.id,
      what: goal.what,
      measured: goal.measured,
      goal: goal.goal,
      "": goal.isMet ? "met" : "MISSED",
    })),
  );
  console.log(
    `adapter memory: ${result.memory.residentMb} MB resident, ${result.memory.peakMb} MB at most; ` +
      `driver: ${round(result.driverHeadroom)} × the rate of the adapter`,
  );
}

function caseRows(result: CaseResult): readonly Row[] {
  const row = (server: string, measured: Measured): Row => ({
    request: result.case.name,
    server,
    bytes: result.bytes,
    "req/s": Math.round(measured.rps),
    "µs CPU": round(measured.cpuMicros),
    "× floor": round(measured.cpuMicros / result[result.case.floor].cpuMicros),
    p50: round(measured.p50Ms),
    p99: round(measured.p99Ms),
    max: round(measured.maxMs),
    "queries/1000": round(measured.queriesPer1000),
    failed: measured.failures,
  });
  return [
    row("floor, prebuilt", result.prebuilt),
    row("floor, stringified", result.stringified),
    row("ours", result.ours),
    row("ours, cold", result.asNew),
    row("ours, no cache", result.uncached),
    ...(result.before === undefined
      ? []
      : [
          row("before", result.before.ours),
          row("before, cold", result.before.asNew),
          row("before, no cache", result.before.uncached),
        ]),
    ...(result.theirs === undefined ? [] : [row("prometheus-adapter", result.theirs)]),
  ];
}

function mixedRow({ rate, measured, loop }: MixedResult): Row {
  return {
    "rate/s": rate,
    "µs CPU": round(measured.cpuMicros),
    p50: round(measured.p50Ms),
    p99: round(measured.p99Ms),
    max: round(measured.maxMs),
    "queries/1000": round(measured.queriesPer1000),
    "loop p99": loop.p99Ms,
    "loop max": loop.maxMs,
    "RSS MB": measured.residentMb,
    failed: measured.failures,
  };
}

export function goals(result: BenchResult): readonly Goal[] {
  const { relist, sync, real } = result;
  return [
    ...result.cases.flatMap(caseGoals),
    ...(sync === undefined
      ? []
      : [
          goal({
            id: "P4",
            what: "queries of one synchronization against one for each rule and namespace",
            measured: sync.queries / sync.minQueries,
            most: 1.2,
            unit: "×",
          }),
        ]),
    ...(real === undefined ? [] : realGoals(real)),
    goal({ id: "P9", what: "bytes of a relist", measured: relist.bytes / 1024, most: 64, unit: "KB" }),
    goal({
      id: "P9",
      what: "bytes of a relist against one list of names for each rule",
      measured: relist.bytes / relist.cheapestBytes,
      most: 1.2,
      unit: "×",
    }),
    ...result.mixed
      .filter(({ rate }) => rate === 667)
      .map(({ measured }) =>
        goal({ id: "P12", what: "p99 at 667 requests/s", measured: measured.p99Ms, most: 10, unit: "ms" }),
      ),
  ];
}

function caseGoals(result: CaseResult): readonly Goal[] {
  const { name, floor, minGain } = result.case;
  const what = `${name}: CPU against the ${floor} floor`;
  const gain = result.theirs === undefined ? undefined : result.theirs.cpuMicros / result.asNew.cpuMicros;
  return [
    goal({ id: "G5", what: `${what}, warm`, measured: result.ratio, most: 2, unit: "×" }),
    goal({ id: "G5", what: `${what}, cold`, measured: result.asNewRatio, most: 3, unit: "×" }),
    ...(gain === undefined || minGain === undefined
      ? []
      : [
          {
            id: "G7",
            what: `${name}: CPU of prometheus-adapter against ours, cold`,
            measured: `${round(gain)} ×`,
            goal: `≥ ${minGain} ×`,
            isMet: gain >= minGain,
          },
        ]),
  ];
}

function realGoals({ sync, cold, direct }: RealResult): readonly Goal[] {
  return [
    goal({
      id: "P5",
      what: "Prometheus CPU of a synchronization against one query for each namespace",
      measured: sync.oursSeconds / sync.batchSeconds,
      most: 1.1,
      unit: "×",
    }),
    goal({
      id: "P5",
      what: "the same against one query for each autoscaler, as prometheus-adapter sends",
      measured: sync.oursSeconds / sync.perPodsSeconds,
      most: 0.7,
      unit: "×",
    }),
    goal({
      id: "P12",
      what: "cold p99 above that of Prometheus",
      measured: cold.p99Ms - direct.p99Ms,
      most: 10,
      unit: "ms",
    }),
  ];
}

interface Bound {
  readonly id: string;
  readonly what: string;
  readonly measured: number;
  readonly most: number;
  readonly unit: string;
}

function goal({ id, what, measured, most, unit }: Bound): Goal {
  return {
    id,
    what,
    measured: `${round(measured)} ${unit}`,
    goal: `≤ ${most} ${unit}`,
    isMet: measured <= most,
  };
}

function print(title: string, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  console.log(`\n${title}`);
  console.table(Object.fromEntries(rows.map((row, i) => [i + 1, row])));
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
