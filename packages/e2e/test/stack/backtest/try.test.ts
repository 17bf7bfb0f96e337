import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plimsollCommand, prometheusProgram, startServedAutoscaler, startStack } from "@plimsoll/testbed";
import { test } from "vitest";
import { example } from "../../fixture.ts";
import { waves } from "./waves.ts";

const minutes = Number(process.env["MINUTES"] ?? 10);
const folder = process.env["OUT"] ?? "/work/tmp/backtest/run";
test("run", async () => {
  mkdirSync(folder, { recursive: true });
  const stack = await startStack({
    folder,
    prometheus: prometheusProgram(),
    workloads: example("workloads.yaml"),
    scrapeIntervalMs: Number(process.env["SCRAPE"] ?? 1000),
    rules: process.env["RULES"] ?? example("rules.yaml"),
    loads: waves(minutes * 60_000),
    isObserved: true,
    ...(process.env["READY"]
      ? { sandbox: { workloads: { readyDelayMs: Number(process.env["READY"]) } } }
      : {}),
    adapterArgs: ["--metrics-relist-interval=2s", "--metrics-max-age=60s", "--metrics-result-max-age=100ms"],
  });
  try {
    await new Promise((r) => setTimeout(r, 8000));
    const a = await startServedAutoscaler(
      stack,
      folder,
      [
        "--manage-hpas=all",
        "--horizontal-pod-autoscaler-sync-period=5021ms",
        "--horizontal-pod-autoscaler-downscale-stabilization=15s",
        "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
        "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
        "--insecure-decisions",
        `--record-inputs=${join(folder, "records")}`,
      ],
      plimsollCommand("autoscaler"),
    );
    stack.scrapeAutoscaler(a.port);
    await stack.apply(process.env["HPAS"] ?? example("autoscalers.yaml"));
    stack.load.play(waves(minutes * 60_000));
    writeFileSync(
      join(folder, "env.json"),
      JSON.stringify({ url: stack.prometheus.url, kubeconfig: stack.kubeconfig }),
    );
    await new Promise((r) => setTimeout(r, minutes * 60_000));
    await a.stop();
    writeFileSync(join(folder, "done"), "");
    await new Promise((r) => setTimeout(r, Number(process.env["STAY"] ?? 1_200_000)));
  } finally {
    await stack.stop();
  }
}, 3_600_000);
