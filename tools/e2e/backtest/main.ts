// npm run task -- backtest-recovered: the demo's autoscalers, backtested without the instants of their decisions (bar A3).
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runCli } from "@plimsoll/cli";
import { plimsollCommand, prometheusProgram, startServedAutoscaler, startStack } from "@plimsoll/testbed";
import { type Report, summaryOf } from "./summary.ts";
import { waves } from "./waves.ts";

const usage = `npm run task -- backtest-recovered [--minutes N]

Scales the demo's workloads for N minutes (20 when absent), every 5.02 s as a controller does that is asked to do it every
5 s, over a Prometheus that scrapes every 5 s. Then it backtests them by the series of kube-state-metrics alone. Ends with 1
where skill is below 0.5, or of the events less than 75 % are exact or 80 % in the same direction.`;

const example = (name: string) => fileURLToPath(new URL(`../../../examples/demo/${name}`, import.meta.url));
const scrapeIntervalMs = 5000;
/** What a sync takes comes on top of the period. */
const syncPeriod = "5021ms";
const settings = [
  "--downscale-stabilization=15s",
  "--cpu-initialization-period=0s",
  "--initial-readiness-delay=1s",
];

/** The rules of the demo, with rates over three scrapes. */
function slowRules(folder: string): string {
  const file = join(folder, "rules.yaml");
  const text = readFileSync(example("rules.yaml"), "utf8");
  writeFileSync(file, text.replaceAll("[3s]", "[15s]").replace("window: 3s", "window: 15s"));
  return file;
}

async function measure(folder: string, durationMs: number): Promise<readonly Report[]> {
  const rules = slowRules(folder);
  const stack = await startStack({
    folder,
    prometheus: prometheusProgram(),
    workloads: example("workloads.yaml"),
    scrapeIntervalMs,
    rules,
    loads: waves(durationMs),
    isObserved: true,
    // Longer than a scrape, so that deletions are seen.
    sandbox: { workloads: { terminationMs: 10_000 } },
    adapterArgs: ["--metrics-relist-interval=2s", "--metrics-max-age=60s", "--metrics-result-max-age=100ms"],
  });
  try {
    const args = [
      "--manage-hpas=all",
      `--horizontal-pod-autoscaler-sync-period=${syncPeriod}`,
      ...settings.map((flag) => flag.replace("--", "--horizontal-pod-autoscaler-")),
    ];
    // Rates need two scrapes.
    await new Promise((resolve) => setTimeout(resolve, 3 * scrapeIntervalMs));
    const autoscaler = await startServedAutoscaler(stack, folder, args, plimsollCommand("autoscaler"));
    await stack.apply(example("autoscalers.yaml"));
    stack.load.play(waves(durationMs));
    await new Promise((resolve) => setTimeout(resolve, durationMs));
    await autoscaler.stop();
    return await backtest([
      `--prometheus-url=${stack.prometheus.url}`,
      `--kubeconfig=${stack.kubeconfig}`,
      `--since=${Math.floor(durationMs / 1000) - 60}s`,
      `--rules=${rules}`,
      "--sync-period=5s",
      "--cache-age=5s",
      ...settings,
    ]);
  } finally {
    await stack.stop();
  }
}

async function backtest(args: readonly string[]): Promise<readonly Report[]> {
  let out = "";
  await runCli({
    args: ["backtest", "--all", "-n", "default", ...args, "-o", "json"],
    name: "plimsoll",
    version: "0.0.0",
    readText: (path) => Promise.resolve(readFileSync(path, "utf8")),
    writeOut: (part) => (out += part),
    writeError: (part) => void process.stderr.write(part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  return (JSON.parse(out) as { readonly objects: readonly Report[] }).objects;
}

const { values } = parseArgs({ options: { minutes: { type: "string" }, help: { type: "boolean" } } });
if (values.help === true) {
  console.log(usage);
} else {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-backtest-"));
  mkdirSync(folder, { recursive: true });
  try {
    const summary = summaryOf(await measure(folder, Number(values.minutes ?? "20") * 60_000));
    console.log(summary.lines.join("\n"));
    process.exitCode = summary.isGood ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
