// What a search costs: 28 days of about 20 pods, 256 candidates, on this thread: npm run task -- bench-tune
import {
  evaluateTask,
  type InferredLoad,
  inferLoad,
  type Recording,
  type TuneRequest,
  tune,
} from "@plimsoll/backtest";
import { recordScenario } from "@plimsoll/backtest/testing";
import { hpa, pod, podsMetric, scenario, workload } from "@plimsoll/simulator/testing";

const days = 28;
const dayMs = 86_400_000;
const startMs = Date.parse("2026-01-05T00:00:00Z");
const periodMs = 15_000;
const rateMs = 60_000;
const hotAbove = 80;
const budgetSeconds = 240;

const autoscaler = hpa({
  metrics: [podsMetric("http_requests_per_second", "50")],
  minReplicas: 2,
  maxReplicas: 100,
});

/** Between 8 and 32 pods in a day, with noise. */
function recorded(): { readonly recording: Recording; readonly inferred: InferredLoad } {
  const load = {
    kind: "noise",
    of: { kind: "sine", mean: 1000, amplitude: 600, periodMs: dayMs, peakAtMs: startMs + dayMs / 2 },
    deviation: 0.04,
    memoryMs: 60_000,
  } as const;
  const ready = { kind: "log-normal", medianMs: 22_000, p95Ms: 45_000 } as const;
  const own = workload({
    replicas: 10,
    load,
    pod: { ...pod, start: { ...pod.start, ready } },
    metrics: { http_requests_per_second: { of: "requests", query: "rate", windowMs: rateMs } },
    autoscaler,
  });
  const controller = { syncPeriodMs: periodMs, slipMs: 20, firstSyncMs: 5000, reactionMs: 200, options: {} };
  const recording = recordScenario(scenario({ startMs, durationMs: days * dayMs, controller }, [own]));
  const read = inferLoad(recording, { autoscaler, rateMs, scrapeMs: 15_000 });
  if (!read.ok) throw new Error(read.message);
  return { recording, inferred: read.load };
}

const request: TuneRequest = {
  ...recorded(),
  autoscaler,
  periodMs,
  seed: 1,
  timeZone: "UTC",
  objective: { hotAbove },
};
const before = process.cpuUsage();
for await (const one of tune(request, async ({ world, tasks }, report) => {
  for (const [index, task] of tasks.entries()) report(index, evaluateTask(world, task));
})) {
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (one.kind === "progress")
    console.log(`${seconds.toFixed(0)} s: ${one.stage}, ${one.done} of about ${one.expected} days`);
  if (one.kind === "refused") throw new Error(one.refusal.message);
  if (one.kind !== "report") continue;
  const { tried, simulatedDays, today } = one.report;
  console.table({
    "processor seconds": { found: seconds.toFixed(0), budget: budgetSeconds },
    "candidates tried": { found: tried, budget: "" },
    "days simulated": { found: simulatedDays, budget: "" },
    "pods of today's, on average": { found: (today.training.podHours / 24).toFixed(1), budget: "" },
  });
  process.exitCode = seconds <= budgetSeconds ? 0 : 1;
}
