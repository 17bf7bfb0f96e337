// Status checks of live MetricRules, from the API server to the pods.
import { networks } from "@plimsoll/live";
import { expect, onTestFinished, test } from "vitest";
import { createLive } from "../../../src/backends/live/live.ts";
import { fakeRules } from "../metric-rules/fake-rules.ts";
import { podWith } from "../prometheus/cluster.ts";
import { startHarness } from "../prometheus/harness.ts";

const options = {
  minIntervalMs: 1_000,
  pace: { perNamespace: 100, all: 100 },
  maxBytes: 100_000,
  seriesPerNamespace: 1_000,
  addresses: { allowsNodes: false, allowed: networks(["10.0.0.0/8"]) },
  caFile: undefined,
  insecureSkipVerify: false,
  namespaceLabel: "namespace",
};

/** A pod whose counter grows by 10 each second. */
async function start(query: string) {
  const state = { scrapes: 0 };
  const api = fakeRules();
  const live = { port: 80, podSelector: { matchLabels: { app: "web" } } };
  api.put("ns", "requests", { type: "Pods", query, live });
  const { clock, stop } = await startHarness({
    rules: "rules: []",
    objects: {
      pods: [
        podWith(
          { namespace: "ns", name: "web", labels: { app: "web" } },
          { containers: [{ name: "main", ports: [{ containerPort: 80 }] }] },
          { phase: "Running", podIP: "10.0.0.1", conditions: [{ type: "Ready", status: "True" }] },
        ),
      ],
    },
    metricRules: api.client,
    createLive: (parts) =>
      createLive(
        { options, ca: undefined, userAgent: "test", readText: () => Promise.reject(new Error("no files")) },
        {
          ...parts,
          fetcher: {
            fetch(_target, _timeoutMs, page) {
              state.scrapes += 1;
              page.start("text/plain");
              page.push(Buffer.from(`requests_total ${parts.clock.nowMs() / 100}\n`));
              return Promise.resolve();
            },
            close: () => Promise.resolve(),
          },
        },
      ),
  });
  onTestFinished(stop);
  return {
    scrapes: () => state.scrapes,
    resolved: () =>
      api.statusOf("ns", "requests")?.conditions.find(({ type }) => type === "Resolved")?.reason,
    async passSeconds(seconds: number) {
      for (let at = 0; at < seconds; at += 1) await clock.advance(1_000);
    },
  };
}

test("a check scrapes until it has its answer", async () => {
  const { scrapes, resolved, passSeconds } = await start("sum by (pod) (rate(requests_total[5s]))");
  await passSeconds(15);
  expect(resolved()).toBe("Resolved");
  expect(scrapes()).toBeLessThan(10);
  await passSeconds(60);
  expect(scrapes()).toBeLessThan(10);
});

test("a check waits until a long window is full", async () => {
  const { scrapes, resolved, passSeconds } = await start("sum by (pod) (rate(requests_total[1m]))");
  await passSeconds(15);
  expect(resolved()).toBe("NotChecked");
  await passSeconds(55);
  expect(resolved()).toBe("Resolved");
  await passSeconds(60);
  expect(scrapes()).toBeLessThan(65);
});
