import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../../src/backends/prometheus/engine.ts";
import { recordingLog } from "../../http/fakes.ts";
import { rulesOf } from "./harness.ts";

const stale = (name: string) => ({
  metadata: { name },
  versions: [{ version: "v1beta1", freshness: "Stale" }],
});
const groups = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io", "example.com"];

const kube: KubeClient = {
  server: "https://fake",
  request: async <T>({ path }: KubeRequest): Promise<T> =>
    ({ kind: "APIGroupDiscoveryList", items: path === "/apis" ? groups.map(stale) : [] }) as T,
  stream: () => Promise.reject(new Error("no streams here")),
  close: () => Promise.resolve(),
};

test("groups of metrics that do not respond yet are not warned of", async () => {
  const log = recordingLog();
  const client = createPrometheusClient({ url: "http://127.0.0.1:1" });
  const engine = createEngine({
    rules: rulesOf("rules: [{seriesQuery: up, resources: {template: <<.Resource>>}, metricsQuery: up}]"),
    source: { client, resultMaxAgeMs: 0 },
    kube,
    clock: manualClock(0),
    relistIntervalMs: 60_000,
    maxAgeMs: 60_000,
    log,
  });
  onTestFinished(async () => {
    await engine.stop();
    await client.close();
  });
  await engine.start();
  const warned = log.lines.filter(({ message }) => message === "could not read the cluster's resources");
  expect(warned.map(({ fields }) => String((fields as { err?: unknown }).err))).toEqual([
    "Error: discovery of example.com/v1beta1: its server does not respond",
  ]);
});
