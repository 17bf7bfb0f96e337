import { expect, test } from "vitest";
import type { MetricSpec, SemanticsProfile } from "../src/index.ts";
import { proposeReplicas } from "../src/steps/index.ts";
import { cpuSamples, externalAverage, nowMs, readyPod, readyPods } from "./fixtures.ts";

const base = { nowMs, specReplicas: 2, statusReplicas: 2, namespace: "shop", pods: readyPods(2) };
const profiles = ["1.32", "1.35", "1.37"] as const;

function under(
  semantics: SemanticsProfile,
  input: Omit<Parameters<typeof proposeReplicas>[0], keyof typeof base>,
) {
  return proposeReplicas({ ...base, ...input, options: { semantics } });
}

test.each(profiles)("under %s an external sum below zero", (semantics) => {
  const samples = { values: [{ value: "-30" }, { value: "10" }] };
  const expected = semantics === "1.32" ? -2 : 2_147_483_647;
  expect(under(semantics, { metric: externalAverage("10"), samples })).toMatchObject({ replicas: expected });
});

test.each(profiles)("under %s an external proposal past 2^31", (semantics) => {
  const metric = externalAverage("1m");
  const samples = { values: [{ value: "5G" }] };
  const expected = semantics === "1.32" ? -2_147_483_648 : 2_147_483_647;
  expect(under(semantics, { metric, samples })).toMatchObject({ replicas: expected });
});

const container: MetricSpec = {
  type: "ContainerResource",
  containerResource: {
    name: "cpu",
    container: "mesh",
    target: { type: "Utilization", averageUtilization: 50 },
  },
};

test.each(profiles)("under %s a container that is in no sample", (semantics) => {
  const expected =
    semantics === "1.32"
      ? "failed to get container metrics: container mesh not present in metrics for pod shop/pod-0"
      : "did not receive metrics for targeted pods (pods might be unready)";
  const proposal = under(semantics, { metric: container, samples: cpuSamples(["1", "1"]) });
  expect(proposal.ok || proposal.message).toContain(expected);
});

test.each(profiles)("under %s a container that a pod lacks", (semantics) => {
  const cpu = { resources: { requests: { cpu: "1" } } };
  const meshed = { ...readyPod("pod-1"), spec: { containers: [{ name: "mesh", ...cpu }] } };
  const samples = {
    pods: ["pod-0", "pod-1"].map((name) => ({ name, containers: { mesh: { cpu: "500m" } } })),
  };
  const proposal = proposeReplicas({
    ...base,
    pods: [readyPod("pod-0"), meshed],
    metric: container,
    samples,
    options: { semantics },
  });
  const failure = "failed to get cpu utilization: container mesh not found in Pod pod-0";
  expect(proposal.ok ? proposal.replicas : proposal.message).toBe(semantics === "1.32" ? 4 : failure);
});

test.each(profiles)("under %s the status of an object average", (semantics) => {
  const describedObject = { apiVersion: "v1", kind: "Service", name: "front" };
  const target = { type: "AverageValue", averageValue: "10" };
  const metric: MetricSpec = { type: "Object", object: { describedObject, metric: { name: "m" }, target } };
  const expected = semantics === "1.32" ? { kind: "", name: "" } : describedObject;
  const proposal = under(semantics, { metric, samples: { value: "20" } });
  expect(proposal.ok && proposal.status.object?.describedObject).toEqual(expected);
});

test.each(profiles)("under %s an average of memory is printed", (semantics) => {
  const target = { type: "AverageValue", averageValue: "1Gi" };
  const metric: MetricSpec = { type: "Resource", resource: { name: "memory", target } };
  const samples = {
    pods: ["pod-0", "pod-1"].map((name) => ({ name, containers: { app: { memory: "1Gi" } } })),
  };
  const proposal = under(semantics, { metric, samples });
  expect(proposal.ok && proposal.status.resource?.current.averageValue).toBe(
    semantics === "1.32" ? "1073741824" : "1Gi",
  );
});
