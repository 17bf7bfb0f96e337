// Measures the evaluations of one number of objects.
import { compileConfig, createAutoscaler, readCommandLine } from "@plimsoll/autoscaler";
import { keepHeapSmall } from "@plimsoll/component-base/process";
import { manualClock } from "@plimsoll/component-base/testing";
import { createInlineCluster } from "./cluster.ts";
import type { Size } from "./world.ts";

export interface EvaluationsOptions extends Size {
  readonly periodMs: number;
  readonly periods: number;
  /** Periods before. */
  readonly settle: number;
  readonly flags: readonly string[];
}

/** Prints one line. */
export async function measureEvaluations(options: EvaluationsOptions): Promise<void> {
  // As main.ts of the autoscaler.
  keepHeapSmall(20);
  const { objects, periodMs, periods, settle } = options;
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const cluster = createInlineCluster(options, clock.nowMs);
  const emptyBytes = collectedBytes();
  const autoscaler = createAutoscaler(configOf(options), {
    client: cluster.client,
    clock,
    log: { debug() {}, info() {}, warn: console.warn, error: console.error },
    random: () => 0.5,
    listen: ({ address, port }) => ({
      listen: () => Promise.resolve({ address, port }),
      close: () => Promise.resolve(),
    }),
  });
  await autoscaler.start();
  for (let tries = 0; tries < 10_000 && !autoscaler.owns("bench-0/w-0"); tries++) await clock.advance(10);
  await clock.advance(1);
  const readBytes = collectedBytes();
  await pass(settle);
  const evaluatedBefore = await evaluationsOf(autoscaler);
  const before = { ...process.cpuUsage(), thread: process.threadCpuUsage(), readUs: cluster.readUs };
  await pass(periods);
  const thread = process.threadCpuUsage();
  const all = process.cpuUsage();
  const evaluations = (await evaluationsOf(autoscaler)) - evaluatedBefore;
  const readUs = cluster.readUs - before.readUs;
  const ownUs = thread.user + thread.system - before.thread.user - before.thread.system - readUs;
  const allUs = all.user + all.system - before.user - before.system - readUs;
  const heldBytes = collectedBytes();
  async function pass(count: number): Promise<void> {
    for (let period = 0; period < count; period++) {
      await clock.advance(periodMs);
      cluster.bookmark();
    }
  }
  const us = (sum: number): string => (sum / evaluations).toFixed(1).padStart(7);
  const kib = (bytes: number): string => (bytes / 1024 / objects).toFixed(2).padStart(6);
  const total = [...cluster.requests].map(([what, n]) => `${what} ${n}`).join(", ");
  console.log(
    [
      `${String(objects).padStart(6)} objects × ${options.pods} pods`,
      `${(evaluations / periods).toFixed(0)} evaluations a period`,
      `µs of CPU an evaluation:${us(allUs)} (main thread${us(ownUs)}), reading${us(readUs)}`,
      `KiB an object:${kib(heldBytes - emptyBytes)} (before it was evaluated${kib(readBytes - emptyBytes)})`,
      `heap ${(heldBytes / 2 ** 20).toFixed(0)} MiB`,
      total,
    ].join("; "),
  );
}

function configOf({ periodMs, flags }: EvaluationsOptions) {
  const line = [
    "--manage-hpas=all",
    "--leader-elect=false",
    "--concurrent-horizontal-pod-autoscaler-syncs=50",
    `--horizontal-pod-autoscaler-sync-period=${periodMs}ms`,
    "--port=0",
    ...flags,
  ];
  const compiled = compileConfig(readCommandLine(line), { timeZone: "UTC" });
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  return compiled.config;
}

async function evaluationsOf(autoscaler: { metrics(): Promise<string> }): Promise<number> {
  let sum = 0;
  for (const line of (await autoscaler.metrics()).split("\n"))
    if (line.startsWith("plimsoll_hpa_controller_reconciliations_total{"))
      sum += Number(line.slice(line.lastIndexOf(" ")));
  return sum;
}

function collectedBytes(): number {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
