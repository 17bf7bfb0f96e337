// The real kube-controller-manager under load, recorded by the real kube-state-metrics and a real Prometheus.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { minuteMs } from "@plimsoll/core/internal/values";
import {
  findBinaries,
  findStateMetrics,
  freePort,
  hpaController,
  prometheusProgram,
  startClusterStack,
  startStateMetrics,
  workloadControllers,
} from "@plimsoll/testbed";
import { parse, stringify } from "yaml";
import { hpaOn, requests } from "./autoscalers.ts";
import { noisy, pointsOf, wave } from "./loads.ts";
import { deployment, target } from "./stack.ts";

/** Requests per second of all pods: two of them at the lowest, seven at the highest. */
const load = noisy(wave(900, 500, 20 * minuteMs), { deviation: 0.03, memoryMs: 20_000, seed: 1 });
/** A short window, so that much happens in half an hour. */
const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
export const hpa = hpaOn(requests(200), { minReplicas: 1, maxReplicas: 20, behavior });
/** What the adapter queries for the metric, which a backtest is given. */
export const query = 'sum(rate(http_requests_total{namespace="default"}[1m])) by (pod)';

/** Beside the others of the demonstration: every API of the adapter has to be there. */
const ownRule = {
  seriesQuery: 'http_requests_total{namespace!="",pod!=""}',
  resources: { overrides: { namespace: { resource: "namespace" }, pod: { resource: "pod" } } },
  name: { matches: "^(.*)_total$", as: "${1}_per_second" },
  metricsQuery: "sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)",
};

const demoRules = fileURLToPath(new URL("../../../examples/demo/rules.yaml", import.meta.url));

function rules(): string {
  const ofDemo = parse(readFileSync(demoRules, "utf8")) as object;
  return stringify({ ...ofDemo, rules: [ownRule] });
}

export interface RealRun {
  readonly prometheusUrl: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Runs for a time, and hands over while all is still there. */
export async function withRealController(
  { folder, durationMs }: { readonly folder: string; readonly durationMs: number },
  report: (line: string) => void,
  use: (run: RealRun) => Promise<void>,
): Promise<void> {
  const binaries = await findBinaries(report);
  const binary = await findStateMetrics(report);
  mkdirSync(folder, { recursive: true });
  const rulesFile = join(folder, "rules.yaml");
  writeFileSync(rulesFile, rules());
  const [port, telemetryPort] = [await freePort(), await freePort()];
  const stack = await startClusterStack({
    folder,
    binaries,
    controllerManager: { args: [`--controllers=${[...workloadControllers, hpaController].join(",")}`] },
    workloads: stringify(deployment(2)),
    prometheus: prometheusProgram(),
    scrapeIntervalMs: 15_000,
    rules: rulesFile,
    adapterArgs: ["--metrics-relist-interval=10s", "--metrics-max-age=2m", "--metrics-result-max-age=0s"],
    loads: [{ ...target, metric: "requests", points: pointsOf(load, durationMs + 5 * minuteMs) }],
    otherJobs: () => `  - job_name: kube-state-metrics
    honor_labels: true
    static_configs:
      - targets: ["127.0.0.1:${port}"]
`,
    onError: (error) => report(String(error)),
  });
  try {
    const exporter = await startStateMetrics({ binary, kubeconfig: stack.kubeconfig, port, telemetryPort });
    try {
      await stack.apply(stringify(hpa));
      // The first scrapes, and the first window of the rate.
      await wait(2 * minuteMs);
      const fromMs = Date.now();
      for (let left = durationMs; left > 0; left -= 5 * minuteMs) {
        report(`${Math.round(left / minuteMs)} minutes left`);
        await wait(Math.min(left, 5 * minuteMs));
      }
      await use({ prometheusUrl: stack.prometheus.url, fromMs, toMs: Date.now() });
    } finally {
      await exporter.stop();
    }
  } finally {
    await stack.stop();
  }
}

/** Real time: the controller has no other. */
async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
