// G6: the slowest requests to the adapter, beside a bare server and prometheus-adapter.
import { median } from "../adapter/measure.ts";
import type { TailResult, TailRun } from "./adapter-tail.ts";
import { measureRequests } from "./request-cpu.ts";
import { atMost, type Row, shown, withUnit } from "./result.ts";
import { runJson } from "./run-json.ts";
import type { Session } from "./session.ts";

export const g6 = {
  id: "G6",
  title: "p99 of requests to the adapter, with relists, rotations and collections meanwhile",
  peer: "prometheus-adapter",
  measure: measureTail,
} as const;

const rates = [67, 400, 667];

async function measureTail(session: Session): Promise<{ rows: readonly Row[]; notes: readonly string[] }> {
  const program = new URL("./adapter-tail.ts", import.meta.url);
  const result = await runJson<TailResult>(session, program, []);
  session.progress("the adapter's tail has been measured");
  const { real } = await measureRequests(session);
  const uncached =
    real === undefined
      ? []
      : [
          atMost(10, {
            what: "without any cache: p99 above that of the real Prometheus",
            value: real.cold.p99Ms - real.direct.p99Ms,
            unit: "ms",
            also: withUnit(real.cold.p99Ms, "ms"),
            floor: withUnit(real.direct.p99Ms, "ms"),
          }),
        ];
  const { relists, reloads, collections } = result;
  return {
    rows: [...rates.flatMap((rate) => rowsOf(rate, result.runs)), ...uncached],
    notes: [
      "medians of three rounds: turns last 10.5 s, or one request of each autoscaler if that is longer; one request of each goes before, not measured",
      "only the server whose turn it is runs; prometheus-adapter has one round, after the others",
      `in the adapter's turns: ${relists} relists, ${reloads} reloads of the certificate, ${collections} collections of any kind`,
    ],
  };
}

function rowsOf(rate: number, runs: readonly TailRun[]): readonly Row[] {
  const of = (server: TailRun["server"], value: (run: TailRun) => number): number =>
    median(runs.filter((run) => run.rate === rate && run.server === server).map(value));
  const each = (value: (run: TailRun) => number) =>
    (["floor", "ours", "theirs"] as const).map((server) => of(server, value));
  const [floor = NaN, ours = NaN, theirs = NaN] = each(({ measured }) => measured.p99Ms);
  const [firstFloor = NaN, firstOurs = NaN] = each(({ first }) => first.p99Ms);
  // What waits at the end of a turn is no failure yet.
  const isUnable = (run: TailRun): boolean => run.measured.failures > 0 || run.measured.p50Ms > 1000;
  const isFailed = runs.some((run) => run.rate === rate && run.server === "theirs" && isUnable(run));
  const peer = isFailed ? "cannot serve it" : Number.isNaN(theirs) ? undefined : withUnit(theirs, "ms");
  const best = isFailed || Number.isNaN(theirs) ? Infinity : theirs;
  const row = {
    what: `p99 at ${rate} requests/s`,
    value: ours,
    unit: "ms",
    floor: withUnit(floor, "ms"),
    peer,
  };
  const bound = Math.min(1.5 * floor, best);
  return [
    atMost(bound, row),
    shown({
      what: "the same in the first 1.5 s after a pause, at another rate than before",
      value: firstOurs,
      unit: "ms",
      floor: withUnit(firstFloor, "ms"),
    }),
    shown({
      what: `CPU of a request at ${rate} requests/s`,
      value: of("ours", ({ measured }) => measured.cpuMicros),
      unit: "µs",
      also: `p50 ${withUnit(
        of("ours", ({ measured }) => measured.p50Ms),
        "ms",
      )}`,
      floor: withUnit(
        of("floor", ({ measured }) => measured.cpuMicros),
        "µs",
      ),
      peer: Number.isNaN(theirs)
        ? undefined
        : withUnit(
            of("theirs", ({ measured }) => measured.cpuMicros),
            "µs",
          ),
    }),
  ];
}
