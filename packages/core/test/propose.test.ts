import { expect, test } from "vitest";
import type { MetricSpec, Pod, SemanticsProfile } from "../src/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  nowMs,
  podsMetric,
  podsSamples,
  readyPod,
  readyPods,
} from "./fixtures.ts";
import { pendingPod, propose, replicasOf } from "./propose-rig.ts";

test.each([
  [110, 50, 25, 56],
  [140, 60, 27, 64],
  [45, 70, 42, 28],
])("%i %% of a %i %% target on %i pods is %i in floats", (used, target, count, expected) => {
  const usage = Array.from({ length: count }, () => `${used * 10}m`);
  const input = {
    metric: cpuUtilization(target),
    specReplicas: count,
    pods: readyPods(count),
    samples: cpuSamples(usage),
  };
  expect(replicasOf(input)).toBe(expected);
});

test("utilization is truncated to whole percent before the ratio", () => {
  const proposal = propose({
    metric: cpuUtilization(100),
    specReplicas: 1,
    pods: readyPods(1),
    samples: cpuSamples(["1009m"]),
  });
  expect(proposal).toMatchObject({
    ok: true,
    replicas: 1,
    status: { resource: { current: { averageUtilization: 100, averageValue: "1009m" } } },
  });
});

test.each([
  ["1.37", 10],
  ["1.35", 10],
  ["1.32", 11],
] as const)(
  "a ratio of exactly 1.1 on 10 pods under %s gives %i",
  (semantics: SemanticsProfile, expected) => {
    const usage = Array.from({ length: 10 }, () => "550m");
    const input = {
      metric: cpuUtilization(50),
      specReplicas: 10,
      pods: readyPods(10),
      samples: cpuSamples(usage),
    };
    expect(replicasOf({ ...input, options: { semantics } })).toBe(expected);
  },
);

test("missing pods count as fully used on the way down, and as idle on the way up", () => {
  const metric = cpuUtilization(50);
  const pods = readyPods(4);
  // 20 % on two pods; with two at 100 % it is 60 %, which turns the direction round.
  expect(replicasOf({ metric, specReplicas: 4, pods, samples: cpuSamples(["200m", "200m"]) })).toBe(4);
  // 200 % on two pods; with two idle it is 100 %: ratio 2 of 4 pods.
  expect(replicasOf({ metric, specReplicas: 4, pods, samples: cpuSamples(["2000m", "2000m"]) })).toBe(8);
  // A target above 100 % raises what a missing pod is taken to use to the target.
  expect(
    replicasOf({
      metric: cpuUtilization(200),
      specReplicas: 2,
      pods: readyPods(2),
      samples: cpuSamples(["0"]),
    }),
  ).toBe(1);
});

test("a ratio of exactly 1 adds nothing for missing pods and holds", () => {
  const input = {
    metric: cpuUtilization(50),
    specReplicas: 7,
    pods: readyPods(4),
    samples: cpuSamples(["500m", "500m"]),
  };
  expect(replicasOf(input)).toBe(7);
});

test("unready pods are left out on the way down", () => {
  const pods = [...readyPods(3), pendingPod("pod-3"), pendingPod("pod-4")];
  const input = {
    metric: cpuUtilization(100),
    specReplicas: 5,
    pods,
    samples: cpuSamples(["500m", "500m", "500m"]),
  };
  expect(replicasOf(input)).toBe(2);
});

test("samples of unknown pods count in averages but not in utilization", () => {
  const values = ["10", "10", "40"];
  expect(replicasOf({ metric: podsMetric("10"), pods: readyPods(2), samples: podsSamples(values) })).toBe(4);
  const cpu = {
    metric: cpuUtilization(50),
    specReplicas: 2,
    pods: readyPods(2),
    samples: cpuSamples(["1", "1", "9"]),
  };
  expect(replicasOf(cpu)).toBe(4);
});

const unready =
  "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)";
const started = (ms: number) => new Date(nowMs - ms).toISOString();

test.each<[string, Pod["status"], string, number | string]>([
  [
    "no Ready condition",
    { phase: "Running", startTime: started(3_600_000), conditions: [] },
    "11:59:45",
    unready,
  ],
  [
    "no start time",
    { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    "11:59:45",
    unready,
  ],
  [
    "Unknown readiness counts as ready",
    { phase: "Running", startTime: started(3_600_000), conditions: [{ type: "Ready", status: "Unknown" }] },
    "11:59:45",
    2,
  ],
  [
    "started less than 5 min ago, sample older than a window of readiness",
    {
      phase: "Running",
      startTime: started(299_999),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:59:16Z" }],
    },
    "11:59:45",
    unready,
  ],
  [
    "started less than 5 min ago, sample exactly a window after readiness",
    {
      phase: "Running",
      startTime: started(299_999),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:59:15Z" }],
    },
    "11:59:45",
    2,
  ],
  [
    "started exactly 5 min ago",
    {
      phase: "Running",
      startTime: started(300_000),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:59:59Z" }],
    },
    "11:59:45",
    2,
  ],
  [
    "never became ready",
    {
      phase: "Running",
      startTime: started(600_000),
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: started(570_001) }],
    },
    "11:59:45",
    unready,
  ],
  [
    "became unready later",
    {
      phase: "Running",
      startTime: started(600_000),
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: started(570_000) }],
    },
    "11:59:45",
    2,
  ],
  [
    "unknown phase is taken for running",
    { phase: "Odd", startTime: started(3_600_000), conditions: [{ type: "Ready", status: "True" }] },
    "11:59:45",
    2,
  ],
  [
    "Succeeded is taken for running",
    { phase: "Succeeded", startTime: started(3_600_000), conditions: [{ type: "Ready", status: "True" }] },
    "11:59:45",
    2,
  ],
])("cpu readiness: %s", (_, status, time, expected) => {
  const pods = [{ ...readyPod("pod-0"), status: status ?? {} }];
  const [sample] = cpuSamples(["2"]).pods;
  const samples = { pods: [{ ...sample, timestamp: `2026-01-01T${time}Z` }] } as ReturnType<
    typeof cpuSamples
  >;
  expect(replicasOf({ metric: cpuUtilization(100), specReplicas: 1, pods, samples })).toBe(expected);
});

const memory: MetricSpec = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
};

test("readiness plays no part for memory, and its average is printed in binary", () => {
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };
  const pods = [{ ...readyPod("pod-0"), status }];
  const samples = { pods: [{ name: "pod-0", containers: { app: { memory: "2Gi" } } }] };
  const proposal = propose({ metric: memory, specReplicas: 1, pods, samples });
  expect(proposal).toMatchObject({
    ok: true,
    replicas: 2,
    status: { resource: { current: { averageValue: "2Gi" } } },
  });
});

test("sums past 2^53 stay exact", () => {
  const pods = readyPods(3);
  const samples = {
    pods: pods.map((_, i) => ({ name: `pod-${i}`, containers: { app: { memory: "9007199254740993m" } } })),
  };
  const target = {
    ...memory,
    resource: { name: "memory", target: { type: "AverageValue", averageValue: "9007199254740993m" } },
  };
  const proposal = propose({ metric: target, pods, samples });
  expect(proposal.ok && proposal.status.resource?.current.averageValue).toBe("9007199254740993m");
});

test.each<[string, Pod, string]>([
  [
    "a container",
    { ...readyPod("pod-0"), spec: { containers: [{ name: "app" }] } },
    "missing request for cpu in container app of Pod pod-0",
  ],
  ["a sidecar", withSidecar(undefined), "missing request for cpu in container mesh of Pod pod-0"],
  [
    "the pod level",
    {
      ...readyPod("pod-0"),
      spec: { containers: [{ name: "app" }], resources: { requests: { memory: "1Gi" } } },
    },
    "missing pod-level request for cpu in Pod pod-0",
  ],
])("a request missing in %s fails the metric", (_, pod, message) => {
  const input = {
    metric: cpuUtilization(50),
    pods: [pod, readyPod("pod-1")],
    samples: cpuSamples(["1", "1"]),
  };
  expect(replicasOf(input)).toBe(`failed to get cpu utilization: ${message}`);
});

test("sidecars and pod-level requests count", () => {
  const metric = cpuUtilization(100);
  const samples = cpuSamples(["3"]);
  expect(replicasOf({ metric, specReplicas: 1, pods: [withSidecar("500m")], samples })).toBe(2);
  const pod: Pod = {
    ...readyPod("pod-0"),
    spec: { ...readyPod("pod-0").spec, resources: { requests: { cpu: "3" } } },
  };
  expect(replicasOf({ metric, specReplicas: 1, pods: [pod], samples })).toBe(1);
  expect(replicasOf({ metric, specReplicas: 1, pods: [pod], samples, options: { semantics: "1.32" } })).toBe(
    3,
  );
});

test("where the request of the pod names another resource, init containers run beside the sidecars before them", () => {
  const part = (cpu: string, more: object = {}) => ({ name: cpu, resources: { requests: { cpu } }, ...more });
  const sidecar = part("1", { restartPolicy: "Always" });
  const requestOf = (containers: object[], initContainers: object[]) => {
    const resources = { requests: { memory: "1Gi" } };
    const pod = { ...readyPod("pod-0"), spec: { containers, initContainers, resources } } as Pod;
    const samples = cpuSamples(["100"]);
    return replicasOf({ metric: cpuUtilization(100), specReplicas: 1, pods: [pod], samples });
  };
  // The pod uses 100 cores and requests 2, 5, and 10.
  expect(requestOf([part("1")], [sidecar])).toBe(50);
  expect(requestOf([part("1")], [sidecar, part("4")])).toBe(20);
  expect(requestOf([part("1")], [part("10"), sidecar])).toBe(10);
});

test("a failed pod leaves the sums but still needs its request", () => {
  const failed = { ...readyPod("pod-1"), status: { phase: "Failed" } };
  const input = {
    metric: cpuUtilization(50),
    specReplicas: 1,
    pods: [readyPod("pod-0"), failed],
    samples: cpuSamples(["1", "9"]),
  };
  expect(replicasOf(input)).toBe(2);
  const bare = { ...failed, spec: { containers: [{ name: "app" }] } };
  expect(replicasOf({ ...input, pods: [readyPod("pod-0"), bare] })).toMatch(/missing request for cpu/);
});

function withSidecar(cpu: string | undefined): Pod {
  const mesh = {
    name: "mesh",
    restartPolicy: "Always",
    ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
  };
  const init = { name: "setup", resources: { requests: { cpu: "8" } } };
  const pod = readyPod("pod-0");
  return { ...pod, spec: { ...pod.spec, initContainers: [init, mesh] } };
}
