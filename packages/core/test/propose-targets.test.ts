import { expect, test } from "vitest";
import type { MetricSpec } from "../src/index.ts";
import { cpuSamples, cpuUtilization, externalAverage, readyPod, readyPods } from "./fixtures.ts";
import { pendingPod, propose, replicasOf } from "./propose-rig.ts";

const container: MetricSpec = {
  type: "ContainerResource",
  containerResource: {
    name: "cpu",
    container: "app",
    target: { type: "Utilization", averageUtilization: 50 },
  },
};

test("a container metric looks at one container; a pod without it is missing or an error", () => {
  expect(
    replicasOf({ metric: container, specReplicas: 1, pods: readyPods(1), samples: cpuSamples(["1"]) }),
  ).toBe(2);
  const elsewhere = {
    ...readyPod("pod-0"),
    spec: { containers: [{ name: "other", resources: { requests: { cpu: "1" } } }] },
  };
  expect(replicasOf({ metric: container, pods: [elsewhere], samples: cpuSamples(["1"]) })).toBe(
    "failed to get cpu utilization: container app not found in Pod pod-0",
  );
});

test("an external average divides by the scale's status, and a negative running sum means the highest", () => {
  const metric = externalAverage("10");
  const values = (...texts: string[]) => ({ values: texts.map((value) => ({ value })) });
  expect(propose({ metric, statusReplicas: 2, pods: [], samples: values("25", "20") })).toMatchObject({
    replicas: 5,
    status: { external: { current: { averageValue: "22500m" } } },
  });
  expect(replicasOf({ metric, pods: [], samples: values("-1", "5") })).toBe(2_147_483_647);
  expect(replicasOf({ metric, pods: [], samples: values("5", "-1") })).toBe(1);
  expect(replicasOf({ metric, pods: [], samples: values("5", "-1"), options: { semantics: "1.32" } })).toBe(
    1,
  );
});

test("no replicas in the status: garbage is reported as upstream reports it", () => {
  const metric = externalAverage("10");
  const proposal = propose({
    metric,
    specReplicas: 0,
    statusReplicas: 0,
    pods: [],
    samples: { values: [{ value: "25" }] },
  });
  expect(proposal).toMatchObject({
    replicas: 3,
    status: { external: { current: { averageValue: "-9223372036854775808m" } } },
  });
});

const object = (target: object): MetricSpec => ({
  type: "Object",
  object: {
    describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "front" },
    metric: { name: "requests" },
    target: { type: "Value", ...target },
  },
});

test("an object value multiplies the ready pods, and from zero it stands alone", () => {
  const metric = object({ value: "100" });
  const pods = [...readyPods(2), pendingPod("pod-2")];
  expect(replicasOf({ metric, pods, samples: { value: "250" } })).toBe(5);
  expect(replicasOf({ metric, specReplicas: 0, pods: [], samples: { value: "250" } })).toBe(3);
  expect(replicasOf({ metric, pods: [], samples: { value: "250" } })).toBe(
    "unable to calculate ready pods: no pods returned by selector while calculating replica count",
  );
  expect(replicasOf({ metric, pods, samples: { error: "gone" } })).toBe(
    "unable to get metric requests on Ingress shop/front: unable to fetch metrics from custom metrics API: gone",
  );
});

test("the kind of target an object metric names must be the one that is set", () => {
  const input = { metric: object({ averageValue: "100" }), pods: [], samples: { value: "250" } };
  expect(replicasOf(input)).toBe(
    "invalid object metric source: neither a value target nor an average value target was set",
  );
});

test.each([
  [{ pods: [] }, "unable to get metrics for resource cpu: no metrics returned from resource metrics API"],
  [
    { error: "down" },
    "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: down",
  ],
])("a response without samples is an error: %j", (samples, message) => {
  expect(replicasOf({ metric: cpuUtilization(50), pods: readyPods(1), samples })).toBe(
    `failed to get cpu utilization: ${message}`,
  );
});

test("a selector that is none fails its metric in upstream's words", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "Near", values: [] }] };
  const metric: MetricSpec = {
    type: "External",
    external: { metric: { name: "q", selector }, target: { type: "Value", value: "1" } },
  };
  expect(replicasOf({ metric, pods: [], samples: { values: [{ value: "1" }] } })).toBe(
    '"Near" is not a valid label selector operator',
  );
});

test("a client's Date objects are taken as they are", () => {
  const pod = readyPod("pod-0");
  const conditions = [
    { type: "Ready", status: "True", lastTransitionTime: new Date("2026-01-01T06:00:30Z") },
  ];
  const status = { phase: "Running", startTime: new Date("2026-01-01T06:00:00Z"), conditions };
  expect(
    replicasOf({
      metric: cpuUtilization(50),
      specReplicas: 1,
      pods: [{ ...pod, status }],
      samples: cpuSamples(["1"]),
    }),
  ).toBe(2);
});
