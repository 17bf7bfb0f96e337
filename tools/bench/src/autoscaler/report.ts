// Prints what a period of the autoscaler costs.
import type { Lags } from "./bench-cluster.ts";
import { latenessOf } from "./lateness.ts";
import type { Sample } from "./sample.ts";

export const defaultPeriodSeconds = 15;

/** Two samples of the process, periods apart, and what was measured beside them. */
interface Measured {
  readonly objects: number;
  readonly pods: number;
  readonly periods: number;
  readonly periodSeconds: number;
  readonly before: Sample;
  readonly after: Sample;
  /** Between the two, without a scrape. */
  readonly cpuSeconds: number;
  readonly scrapeCpuSeconds: number;
  readonly listedSeconds: number;
  readonly startCpuSeconds: number;
  readonly floor: number;
  readonly lags: Lags;
}

export function report(measured: Measured): void {
  const { objects, pods, periods, periodSeconds } = measured;
  const calls = callsOf(measured);
  console.log(
    `\n${objects} objects × ${pods} pods, period ${periodSeconds} s, ${periods.toFixed(1)} periods`,
  );
  for (const [what, found, goal] of rowsOf(measured, calls))
    console.log(`  ${what.padEnd(36)} ${found.padEnd(28)} ${goal}`);
  const requests = calls.filter(([, n]) => n > 0).map(([kind, n]) => `${kind} ${n.toFixed(0)}`);
  console.log(`  requests: ${requests.join(", ")}`);
}

type Calls = readonly (readonly [kind: string, perPeriod: number])[];

function callsOf({ before, after, periods }: Measured): Calls {
  return Object.keys(after.requests).map((kind) => [
    kind,
    ((after.requests[kind] ?? 0) - (before.requests[kind] ?? 0)) / periods,
  ]);
}

function rowsOf(
  measured: Measured,
  calls: Calls,
): readonly (readonly [what: string, found: string, goal: string])[] {
  const { objects, pods, periods, before, after, periodSeconds } = measured;
  const grown = (name: string) => sum(after, name) - sum(before, name);
  const evaluations = grown("plimsoll_hpa_controller_reconciliations_total") / periods;
  const skipped = grown("plimsoll_hpa_controller_skipped_syncs_total") / periods;
  const cpu = (measured.cpuSeconds / periods / evaluations) * objects;
  const late = (share: number) => latenessOf(before, after, share);
  const loop = (what: string) => loopDelay(after, what);
  const total = calls.reduce((all, [kind, n]) => all + (kind === "metrics" ? 0 : n), 0);
  const goalMiB = 90 + (objects * pods * 400 + objects * 4096) / 2 ** 20;
  const lags = measured.lags.lagsMs.map((ms) => ms / 1000).sort((one, other) => one - other);
  const lag = (share: number) =>
    (lags[Math.min(lags.length - 1, Math.floor(share * lags.length))] ?? Number.NaN).toFixed(1);
  return [
    ["ready to evaluate after", `${measured.listedSeconds.toFixed(1)} s`, "P10: 2 × the lists"],
    ["the lists, by a bare client", `${measured.floor.toFixed(1)} s`, ""],
    ["CPU of the start", `${measured.startCpuSeconds.toFixed(1)} s`, ""],
    [
      "evaluations per period, skipped",
      `${evaluations.toFixed(0)} of ${objects}, ${skipped.toFixed(0)}`,
      "G1: all",
    ],
    ["CPU per period, if all are evaluated", `${cpu.toFixed(2)} s`, ""],
    ["the same as share of a core", `${((cpu / periodSeconds) * 100).toFixed(0)} %`, "G1: 50 %"],
    ["CPU per evaluation", `${((cpu / objects) * 1e6).toFixed(0)} µs`, "G1: 150 µs"],
    [
      "CPU of a scrape",
      `${measured.scrapeCpuSeconds.toFixed(2)} s, ${(after.scrapeBytes / 1e6).toFixed(1)} MB`,
      "",
    ],
    ["lateness of an evaluation p50, p99", `≤ ${late(0.5)} s, ≤ ${late(0.99)} s`, "G1: 1 s"],
    [
      `step to scale write, ${lags.length} of ${measured.lags.stepped}`,
      `p50 ${lag(0.5)} s, p99 ${lag(0.99)} s`,
      `P11: ${periodSeconds / 2 + 0.5} s, ${periodSeconds + 1} s`,
    ],
    ["API requests per object per period", (total / objects).toFixed(3), "G1: 0.05"],
    ["RSS", `${after.rssMiB.toFixed(0)} MiB`, `P7: ${goalMiB.toFixed(0)} MiB`],
    ["heap used", `${(sum(after, "nodejs_heap_size_used_bytes") / 2 ** 20).toFixed(0)} MiB`, ""],
    ["event-loop delay p99, max", `${loop("p99")} ms, ${loop("max")} ms`, "P8: 25 ms (p99.9), 50 ms"],
  ];
}

/** Since the scrape before, which made its own delay after its response had been put together. */
function loopDelay({ metrics }: Sample, what: string): string {
  return ((metrics.get(`nodejs_eventloop_lag_${what}_seconds`) ?? Number.NaN) * 1000).toFixed(1);
}

function sum({ metrics }: Sample, name: string): number {
  let total = 0;
  for (const [key, value] of metrics) if (key === name || key.startsWith(`${name}{`)) total += value;
  return total;
}
