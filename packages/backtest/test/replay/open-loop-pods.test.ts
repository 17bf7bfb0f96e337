// Causes that lie in pods and in the rules of a release.
import { hpa } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { causesOf, repeated } from "./causes-rig.ts";
import { external, instantOf, ofReady, planted, readyPod, recordedPod } from "./planted.ts";

const fivePods = [1, 2, 3, 4, 5].map((n) => recordedPod(`shop-a-${n}`));

test("pod-lag: a pod that was just Ready was not yet seen so", () => {
  const late = recordedPod("shop-a-6", { ready: [{ fromMs: instantOf(25) - 2000 }] });
  const report = planted({
    autoscaler: ofReady,
    replicas: 6,
    pods: [...fivePods, late],
    totals: [...repeated(25, 10), ...repeated(5, 20)],
    actual: (n, { pods }) => {
      if (n > 25 || !pods.ok) return {};
      const listed = pods.pods.map((pod) =>
        pod.metadata?.name === late.name ? readyPod(late.name, false) : pod,
      );
      return { input: { pods: { ok: true, pods: listed } } };
    },
  });
  expect(causesOf(report)).toEqual(["pod-lag"]);
  expect(report.mismatches[0]).toMatchObject({ recorded: 10, ours: 12 });
  expect(report.mismatches[0]?.evidence).toBe("with pod shop-a-6 not there it decides 10");
});

test("pod-lag: several pods that have just started had no sample yet", () => {
  const startedMs = instantOf(25) - 20_000;
  const young = [6, 7].map((n) =>
    recordedPod(`shop-a-${n}`, { createdMs: startedMs, startedMs, ready: [{ fromMs: startedMs + 1000 }] }),
  );
  const pods = [...fivePods, ...young];
  const target = { type: "AverageValue", averageValue: "10" };
  const metric = { type: "Pods", pods: { metric: { name: "load" }, target } };
  const samples = (names: readonly string[]) => ({
    samples: [{ pods: names.map((name) => ({ name, value: "20" })) }],
  });
  const old = fivePods.map(({ name }) => name);
  const report = planted({
    autoscaler: hpa({ maxReplicas: 50, metrics: [metric] }),
    replicas: 7,
    pods,
    totals: repeated(26, 20),
    actual: (n, { nowMs }) => {
      const isSampled = (pod: (typeof pods)[number]) => pod.createdMs < nowMs - 30_000;
      const names = pods.filter(isSampled).map(({ name }) => name);
      return { input: samples(n === 25 ? old : names) };
    },
    recorded: (recording) => ({
      ...recording,
      metrics: [
        {
          index: 0,
          level: "series",
          gaps: [],
          samples: recording.syncs.atMs.map((atMs) => ({
            atMs,
            values: pods.map(({ name }) => ({ pod: name, value: 20 })),
          })),
        },
      ],
    }),
  });
  expect(report.mismatches.at(-1)?.evidence).toMatch(/^without a sample of the 2 pods that started last/);
});

test("rollout: the pods of one owner counted", () => {
  const others = [1, 2].map((n) => recordedPod(`shop-b-${n}`));
  const report = planted({
    autoscaler: ofReady,
    replicas: 7,
    pods: [...fivePods, ...others],
    totals: [...repeated(25, 10), 20, 10],
    actual: (n) => {
      const listed = fivePods.map(({ name }) => readyPod(name));
      return n === 25 ? { input: { pods: { ok: true, pods: listed } } } : {};
    },
  });
  expect(causesOf(report)).toEqual(["rollout"]);
  expect(report.mismatches[0]?.evidence).toBe("with the pods of shop-a alone it decides 10");
});

test("rounding: a status has whole values, and half of one decides", () => {
  const report = planted({
    autoscaler: ofReady,
    totals: [...repeated(25, 10), 11.3, 10],
    recorded: (recording) => ({
      ...recording,
      metrics: recording.metrics.map((metric) => ({ ...metric, level: "status", samples: [] })),
      status: recording.status.map((one) => ({
        ...one,
        values: one.values.map((value) => Math.trunc(value ?? 0)),
      })),
    }),
    actual: (_, { scale }) => {
      const count = scale.ok ? scale.specReplicas : 0;
      const pods = Array.from({ length: count }, (__, n) => readyPod(`shop-${n}`));
      return { input: { pods: { ok: true, pods } } };
    },
  });
  expect(causesOf(report)).toEqual(["rounding"]);
  expect(report.mismatches[0]?.evidence).toBe("with metrics[0] +0.5 it decides 4");
});

test("semantics: the rules of an older release know no tolerance of the object", () => {
  const autoscaler = hpa({ ...external.hpa.spec, behavior: { scaleUp: { tolerance: "0.5" } } });
  const report = planted({
    autoscaler,
    totals: [...repeated(25, 30), ...repeated(3, 40)],
    actual: () => ({ input: { options: { semantics: "1.32" } } }),
  });
  expect(causesOf(report)).toEqual(["semantics"]);
  expect(report.mismatches[0]?.evidence).toBe("by the rules of 1.32 it decides 4");
});

test("resource-path: cpu is measured a little otherwise", () => {
  const autoscaler = hpa({
    maxReplicas: 50,
    metrics: [
      { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } },
    ],
  });
  const pods = [1, 2, 3].map((n) => recordedPod(`shop-a-${n}`));
  const usage = (cores: number) => ({
    pods: pods.map(({ name }) => ({
      name,
      timestamp: "2026-11-27T00:00:00Z",
      windowSeconds: 15,
      containers: { app: { cpu: `${Math.round(cores * 1000)}m` } },
    })),
  });
  const cores = (n: number) => (n === 25 ? 0.109 : 0.1);
  const report = planted({
    autoscaler,
    pods,
    totals: repeated(28, 0),
    actual: (n) => ({ input: { samples: [usage(n === 25 ? 0.112 : 0.1)] } }),
    recorded: (recording) => ({
      ...recording,
      metrics: [
        {
          index: 0,
          level: "series",
          gaps: [],
          samples: recording.syncs.atMs.map((atMs, n) => ({
            atMs,
            values: pods.map(({ name }) => ({ pod: name, value: cores(n) })),
          })),
        },
      ],
    }),
  });
  expect(causesOf(report)).toEqual(["resource-path"]);
  expect(report.mismatches[0]?.evidence).toMatch(/^with cpu × 1\.0[123] it decides 4/);
});
