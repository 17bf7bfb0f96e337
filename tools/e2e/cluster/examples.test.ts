import { readFileSync } from "node:fs";
import {
  type ClusterStack,
  exampleFile,
  exampleJobs,
  exampleRules,
  examples,
  hpaController,
  startClusterStack,
  until,
  workloadControllers,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { pace } from "./fixture.ts";

const folder = fileFolder();
const troubles: unknown[] = [];
let stack: ClusterStack;

beforeAll(async () => {
  const text = (name: string) => examples.map((example) => readFileSync(exampleFile(example, name), "utf8"));
  stack = await startClusterStack({
    folder,
    binaries: inject("binaries"),
    prometheus: process.env["PROMETHEUS"] ?? "prometheus",
    scrapeIntervalMs: 250,
    rules: exampleRules(folder),
    workloads: text("workload.yaml").join("---\n"),
    loads: examples.flatMap(({ load }) => load),
    otherJobs: exampleJobs,
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s", "--metrics-result-max-age=250ms"],
    // The cluster's own HPA controller reads what the adapter serves.
    controllerManager: {
      args: [`--controllers=${[...workloadControllers, hpaController].join(",")}`, ...pace],
    },
    onError: (error) => troubles.push(error),
  });
  await stack.apply(...text("hpa.yaml"));
});

afterAll(async () => {
  await stack?.stop();
});

test.each(examples)("$folder follows its load to $replicas replicas", async ({ workload, replicas }) => {
  const seen: number[] = [];
  await until(`${workload} to have ${replicas} ready replicas`, () => {
    const object = stack.store.get("deployments.apps", "default", workload);
    const { replicas: wanted = 0 } = (object?.spec ?? {}) as { replicas?: number };
    const { readyReplicas } = (object?.status ?? {}) as { readyReplicas?: number };
    if (seen.at(-1) !== wanted) seen.push(wanted);
    return wanted === replicas && readyReplicas === replicas ? true : undefined;
  }).catch((error: unknown) => {
    throw new Error(`it went ${seen.join(" → ")}; ${troubles.length} troubles: ${String(troubles[0])}`, {
      cause: error,
    });
  });
  expect(seen.at(-1)).toBe(replicas);
});
