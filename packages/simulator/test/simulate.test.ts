// Whole runs: what comes in goes out, the same seed gives the same run, and pods, nodes and metrics behave.
import { expect, test } from "vitest";
import {
  type Load,
  type Scenario,
  type SimulatedRun,
  type SyncView,
  simulate,
  type Workload,
} from "../src/index.ts";
import {
  constant,
  externalMetric,
  hpa,
  pod,
  podsMetric,
  scenario,
  startMs,
  steps,
  workload,
} from "../src/testing/index.ts";

const noisy: Load = {
  kind: "noise",
  of: { kind: "sine", mean: 2000, amplitude: 1500, periodMs: 1_800_000, peakAtMs: startMs + 600_000 },
  deviation: 0.1,
  memoryMs: 20_000,
};
const slowStart: Workload["pod"]["start"] = {
  schedule: { kind: "fixed", ms: 1000 },
  pull: { kind: "fixed", ms: 4000 },
  ready: { kind: "log-normal", medianMs: 20_000, p95Ms: 45_000 },
};
const busy = workload({
  replicas: 10,
  load: noisy,
  pod: { ...pod, start: slowStart, terminationMs: 30_000, drainMs: 5000, crashesPerHour: 1, timeoutMs: 2000 },
  autoscaler: hpa({ metrics: [podsMetric("http_requests_per_second", "120")], maxReplicas: 40 }),
});

const first = ({ workloads }: SimulatedRun) => {
  const [one] = workloads;
  if (one === undefined) throw new Error("there is no workload");
  return one;
};

function syncsOf(of: Scenario): readonly SyncView[] {
  const syncs: SyncView[] = [];
  simulate(of, { onSync: (sync) => syncs.push({ ...sync }) });
  return syncs;
}

/** The samples of the first metric. */
function valuesOf(input: SyncView["input"] | undefined): readonly unknown[] {
  const samples = input?.samples[0];
  return samples !== undefined && "pods" in samples ? samples.pods : [];
}

test("served, lost and waiting requests are those that were offered", () => {
  const { scores, changes } = first(simulate(scenario({ durationMs: 3_600_000 }, [busy])));
  expect(changes.length).toBeGreaterThan(4);
  expect(scores.crashes).toBeGreaterThan(0);
  expect((scores.served + scores.lost + scores.backlog) / scores.offered).toBeCloseTo(1, 3);
  expect(scores.podHours).toBeGreaterThan(scores.readyPodHours);
});

test("the same scenario gives the same run, another seed another one", () => {
  const one = JSON.stringify(simulate(scenario({}, [busy])));
  expect(JSON.stringify(simulate(scenario({}, [busy])))).toBe(one);
  expect(JSON.stringify(simulate(scenario({ seed: 2 }, [busy])))).not.toBe(one);
});

test("who watches and what is recorded changes nothing", () => {
  const bare = first(simulate(scenario({}, [busy]), { seriesPoints: 0 }));
  const watched = first(simulate(scenario({}, [busy]), { onSync: () => undefined }));
  expect(bare.scores).toEqual(watched.scores);
  expect(bare.series.load).toEqual([]);
  expect(watched.series.load).toHaveLength(1440);
});

test("without nodes a workload does not notice others", () => {
  const alone = first(simulate(scenario({}, [busy])));
  const beside = first(simulate(scenario({}, [busy, workload({ name: "other", load: noisy })])));
  expect(beside).toEqual(alone);
});

test("pods never leave the bounds of the specification", () => {
  for (const { result } of syncsOf(scenario({ durationMs: 3_600_000 }, [busy]))) {
    expect(result.decision.desiredReplicas).toBeGreaterThanOrEqual(1);
    expect(result.decision.desiredReplicas).toBeLessThanOrEqual(40);
  }
});

test("an even load has the pods that it needs, and nothing happens", () => {
  const even = workload({
    replicas: 5,
    load: constant(500),
    autoscaler: hpa({ metrics: [podsMetric("http_requests_per_second", "100")] }),
  });
  const { scores, series } = first(simulate(scenario({ durationMs: 3_600_000 }, [even])));
  expect(scores).toMatchObject({ events: 0, hotSeconds: 0, lost: 0, replicasMax: 5 });
  expect(scores.podHours).toBeCloseTo(5, 9);
  expect(scores.idealPodHours).toBeCloseTo(500 / (0.85 * 200), 9);
  expect(series.load[7]).toBeCloseTo(500, 9);
});

test("the rate of each pod is that of its share, and a new pod has none before two scrapes", () => {
  const grows = workload({
    replicas: 5,
    load: steps([-3600, 500], [300, 1000]),
    autoscaler: hpa({ metrics: [podsMetric("http_requests_per_second", "100")] }),
  });
  const syncs = syncsOf(scenario({}, [grows]));
  const [sample] = syncs[3]?.input.samples ?? [];
  expect(sample).toEqual({
    pods: [0, 1, 2, 3, 4].map((ordinal) => ({ name: `shop-${ordinal}`, value: "100" })),
  });
  const scaled = syncs.findIndex(({ result }) => result.decision.scaleTo !== undefined);
  const next = syncs[scaled + 1]?.input;
  const pods = next?.pods.ok === true ? next.pods.pods.length : 0;
  expect(pods).toBeGreaterThan(5);
  expect(valuesOf(next)).toHaveLength(5);
});

test("cpu is what requests cost, with the window and the instant of the measurement", () => {
  const target = { type: "Utilization", averageUtilization: 60 };
  const used = workload({
    replicas: 5,
    load: constant(250),
    autoscaler: hpa({ metrics: [{ type: "Resource", resource: { name: "cpu", target } }] }),
  });
  const [sync] = syncsOf(scenario({}, [used]));
  // 50 requests of 6 ms are 0.3 cores.
  expect(sync?.input.samples).toMatchObject([
    {
      pods: [
        { name: "shop-0", windowSeconds: 15, containers: { app: { cpu: "300000000n", memory: "102400Ki" } } },
        {},
        {},
        {},
        {},
      ],
    },
  ]);
  expect(sync?.result.decision.desiredReplicas).toBe(5);
});

test("a cached response is served until it is as old as the cache allows", () => {
  const cached = workload({
    load: { kind: "sine", mean: 100, amplitude: 90, periodMs: 300_000, peakAtMs: startMs },
    metrics: { load: { of: "offered", query: "rate", windowMs: 30_000 } },
    autoscaler: hpa({ metrics: [externalMetric("load", "100")] }),
  });
  const scraping = { ...scenario({}, []).scraping, intervalMs: 1000, cacheAgeMs: 40_000 };
  const texts = syncsOf(scenario({ scraping }, [cached]))
    .slice(0, 6)
    .map(({ input }) => JSON.stringify(input.samples));
  expect(new Set(texts.slice(0, 3)).size).toBe(1);
  expect(new Set(texts.slice(3, 6)).size).toBe(1);
  expect(texts[0]).not.toBe(texts[3]);
});

test("scrapes that fail leave pods without a value, and the run goes on", () => {
  const scraping = { ...scenario({}, []).scraping, failures: 0.5 };
  const { result, input } = syncsOf(scenario({ scraping }, [busy])).at(-1) ?? {};
  expect(result?.decision.outcome.error).toBe("none");
  expect(valuesOf(input).length).toBeGreaterThan(0);
});

test("pods wait for nodes, which come after their delay and go when they are empty", () => {
  const grows = workload({
    replicas: 2,
    load: steps([-3600, 200], [60, 900], [900, 200]),
    autoscaler: hpa({ metrics: [podsMetric("http_requests_per_second", "100")], maxReplicas: 9 }),
  });
  const nodes = {
    podsPerNode: 4,
    initial: 1,
    max: 5,
    provisioning: { kind: "fixed" as const, ms: 90_000 },
    removeAfterMs: 120_000,
  };
  const run = simulate(scenario({ nodes, durationMs: 3_600_000 }, [grows]));
  const { scores } = first(run);
  expect(scores.replicasMax).toBe(9);
  // Five pods on two nodes wait for 90 s each, those of later syncs a little less.
  expect(scores.pendingPodSeconds).toBeGreaterThan(300);
  expect(scores.pendingPodSeconds).toBeLessThan(900);
  expect(run.nodeHours).toBeGreaterThan(1);
  expect(run.nodeHours).toBeLessThan(2.5);
  expect(first(simulate(scenario({ durationMs: 3_600_000 }, [grows]))).scores.pendingPodSeconds).toBe(0);
});

test("an interruption ends a run", () => {
  const signal = {
    throwIfAborted(): never {
      throw new Error("interrupted");
    },
  };
  expect(() => simulate(scenario({}, [busy]), { signal })).toThrow("interrupted");
});
