// What a simulation costs, beside the decisions in it: npm run task -- bench-simulator
import { type DecideInput, decide, type HpaMemory } from "@plimsoll/core";
import { type Scenario, simulate, type Workload } from "@plimsoll/simulator";

const hour = 3_600_000;
const day = 24 * hour;
const startMs = Date.parse("2026-01-05T00:00:00Z");

const turns = 9;

/** About 20 pods, between 10 and 30 in a day. */
function workload(name: string): Workload {
  return {
    namespace: "default",
    name,
    kind: "Deployment",
    replicas: 10,
    load: {
      kind: "noise",
      of: { kind: "sine", mean: 2000, amplitude: 1000, periodMs: day, peakAtMs: startMs + 20 * hour },
      deviation: 0.05,
      memoryMs: 60_000,
    },
    pod: {
      container: "app",
      requests: { cpu: 0.5 },
      limits: { cpu: 1 },
      serviceTimeMs: 40,
      serviceVariation: 1,
      concurrency: 8,
      cpuPerRequest: 0.006,
      idleCpu: 0,
      memory: { base: 2 ** 27, perInFlight: 0, isReleased: true },
      balancing: "random",
      start: {
        schedule: { kind: "fixed", ms: 1000 },
        pull: { kind: "fixed", ms: 4000 },
        ready: { kind: "log-normal", medianMs: 20_000, p95Ms: 45_000 },
      },
      crashesPerHour: 0,
      terminationMs: 30_000,
      drainMs: 2000,
    },
    metrics: { requests: { of: "requests", query: "rate", windowMs: 60_000 } },
    objective: { utilization: 0.85, latency: { quantile: 0.95, withinMs: 250 } },
    autoscaler: {
      hpa: {
        metadata: { name, namespace: "default" },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
          minReplicas: 2,
          maxReplicas: 100,
          metrics: [
            {
              type: "Pods",
              pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "100" } },
            },
          ],
        },
      },
    },
  };
}

function scenario(durationMs: number, workloads: readonly Workload[]): Scenario {
  return {
    startMs,
    durationMs,
    seed: 1,
    controller: { syncPeriodMs: 15_000, slipMs: 20, reactionMs: 200, options: {} },
    scraping: {
      intervalMs: 15_000,
      failures: 0.001,
      cacheAgeMs: 0,
      promql: "3",
      lookbackMs: 300_000,
      resourceIntervalMs: 15_000,
    },
    workloads,
  };
}

/** Processor seconds of some work. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** In turn, so that both meet the same compiler and the same load of the machine; the middle one of each counts. */
function ratioToDecide(): number {
  const inputs: { readonly input: DecideInput; readonly memory: HpaMemory | undefined }[] = [];
  const one = scenario(day, [workload("one")]);
  simulate(one, { onSync: ({ input, memory }) => inputs.push({ input, memory }) });
  const [whole, decisions]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    whole.push(cpuOf(() => void simulate(one)));
    decisions.push(
      cpuOf(() => {
        for (const { input, memory } of inputs) decide(input, memory);
      }),
    );
  }
  return middle(whole) / middle(decisions);
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

const rows: Record<string, { readonly found: string; readonly budget: string }> = {};
const days = process.argv.includes("--year") ? 365 : 30;
const long = cpuOf(() => void simulate(scenario(days * day, [workload("long")])));
rows[`${days} days of one workload, s`] = { found: long.toFixed(1), budget: ((75 * days) / 365).toFixed(1) };
rows["memory afterwards, MB"] = { found: (process.memoryUsage().rss / 2 ** 20).toFixed(0), budget: "200" };
const names = Array.from({ length: 20 }, (_, at) => `w${at}`);
const twenty = cpuOf(() => void simulate(scenario(day, names.map(workload))));
rows["24 h of 20 workloads, s"] = { found: twenty.toFixed(1), budget: "5" };
rows["processor time over decide alone"] = { found: ratioToDecide().toFixed(2), budget: "2.5" };
console.table(rows);
