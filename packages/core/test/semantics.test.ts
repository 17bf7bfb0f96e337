import { expect, test } from "vitest";
import { applyPolicies, proposeReplicas } from "../src/decide/steps/index.ts";
import {
  decide,
  type MetricSpec,
  type Pod,
  preparePods,
  type SemanticsProfile,
  semanticsProfiles,
} from "../src/index.ts";
import { milliValue, saturatedMilli } from "../src/values/quantity/convert.ts";
import { parseQuantity } from "../src/values/quantity/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  podsMetric,
  podsSamples,
  readyPod,
  readyPods,
} from "./fixtures.ts";

const base = { nowMs, specReplicas: 2, statusReplicas: 2, namespace: "shop", pods: readyPods(2) };
const profiles = semanticsProfiles;

function under(
  semantics: SemanticsProfile,
  input: Omit<Parameters<typeof proposeReplicas>[0], keyof typeof base> & { readonly pods?: readonly Pod[] },
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

const maxInt32 = 2_147_483_647;

/** At 4 replicas. */
function of4(semantics: SemanticsProfile, pods: readonly Pod[], usage: readonly string[]) {
  return proposeReplicas({
    ...base,
    specReplicas: 4,
    statusReplicas: 4,
    pods,
    metric: cpuUtilization(50),
    samples: cpuSamples(usage),
    options: { semantics },
  });
}

test.each(profiles)("under %s pods that succeeded", (semantics) => {
  const pods = readyPods(4).map((pod, at) =>
    at < 2 ? pod : { ...pod, status: { ...pod.status, phase: "Succeeded" } },
  );
  const proposal = of4(semantics, pods, ["500m", "500m", "500m", "500m"]);
  expect(proposal).toMatchObject({
    replicas: 4,
    trace: { counts: { ignored: semantics === "1.38" ? 2 : 0 } },
  });
  const busy = of4(semantics, pods, ["250m", "500m", "500m", "750m"]);
  expect(busy).toMatchObject({ replicas: semantics === "1.38" ? 2 : 4 });
});

test.each(profiles)("under %s the overhead of a pod with pod-level requests", (semantics) => {
  const pods = readyPods(2).map((pod) => ({
    ...pod,
    spec: { ...pod.spec, resources: { requests: { cpu: "1" } }, overhead: { cpu: "500m" } },
  }));
  const proposal = proposeReplicas({
    ...base,
    pods,
    metric: cpuUtilization(50),
    samples: cpuSamples(["750m", "750m"]),
    options: { semantics },
  });
  const expected = { "1.32": 3, "1.35": 2, "1.36": 2, "1.37": 2, "1.38": 3 } as const;
  expect(proposal).toMatchObject({ replicas: expected[semantics] });
});

test.each(profiles)("under %s counts beyond an int32", (semantics) => {
  const isCapped = semantics === "1.38";
  const edge = isCapped ? maxInt32 : -2_147_483_648;
  const describedObject = { apiVersion: "v1", kind: "Service", name: "front" };
  const average = { type: "AverageValue", averageValue: "1m" };
  const object: MetricSpec = {
    type: "Object",
    object: { describedObject, metric: { name: "m" }, target: average },
  };
  expect(under(semantics, { metric: object, samples: { value: "5G" } })).toMatchObject({ replicas: edge });
  const pods = { metric: podsMetric("1m"), samples: podsSamples(["5G", "5G"]) };
  expect(under(semantics, pods)).toMatchObject({ replicas: edge });
  const value: MetricSpec = {
    type: "External",
    external: { metric: { name: "q" }, target: { type: "Value", value: "1m" } },
  };
  const fromZero = {
    ...base,
    specReplicas: 0,
    statusReplicas: 0,
    metric: value,
    samples: { values: [{ value: "5G" }] },
  };
  expect(proposeReplicas({ ...fromZero, options: { semantics } })).toMatchObject({ replicas: edge });
});

test.each(profiles)("under %s a Percent policy beyond an int32", (semantics) => {
  const policies = [{ type: "Percent" as const, value: maxInt32, periodSeconds: 60 }];
  const behavior = { scaleUp: { stabilizationWindowSeconds: 0, policies } };
  const limits = { nowMs, currentReplicas: 200, desiredReplicas: 300, maxReplicas: 1000, behavior };
  const expected = semantics === "1.38" ? 300 : 200;
  expect(applyPolicies({ ...limits, semantics }).replicas).toBe(expected);
  const input = externalInput("3000", 200, {
    hpa: hpaOf({ maxReplicas: 1000, behavior }),
    options: { semantics },
  });
  expect(decide(input).decision.desiredReplicas).toBe(expected);
});

test.each(profiles)("under %s a utilization whose sums pass 64 bits", (semantics) => {
  const pods = readyPods(2, "4611686018427387");
  const samples = cpuSamples(["4611686018427387", "4611686018427387"]);
  const proposal = under(semantics, { metric: cpuUtilization(50), samples, pods });
  const utilization = proposal.ok && proposal.status.resource?.current.averageUtilization;
  expect([proposal.ok && proposal.replicas === 4, utilization === 100]).toEqual(
    semantics === "1.38" ? [true, true] : [false, false],
  );
});

test.each(profiles)("under %s an average whose sum passes 64 bits", (semantics) => {
  const value = "9223372036854775";
  const proposal = under(semantics, { metric: podsMetric(value), samples: podsSamples([value, value]) });
  const isExact = proposal.ok && proposal.status.pods?.current.averageValue === value;
  expect([isExact, proposal.ok && proposal.replicas]).toEqual(semantics === "1.38" ? [true, 2] : [false, 0]);
});

test.each([
  ["51000T", 0n, 9_223_372_036_854_775_807n],
  ["-51000T", 0n, -9_223_372_036_854_775_808n],
  ["9223372036854775807m", 9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
  ["1.0000000000001", 1001n, 1001n],
  ["-1.0000000000001", -999n, -1001n],
])("%s is %s thousandths up to 1.37, and %s from 1.38 on", (text, before, after) => {
  expect([milliValue(parseQuantity(text)), saturatedMilli(parseQuantity(text))]).toEqual([before, after]);
});

test.each(profiles)("under %s a pod that requests more than 64 bits hold", (semantics) => {
  const samples = cpuSamples(["51000T", "51000T"]);
  const proposal = under(semantics, { metric: cpuUtilization(50), samples, pods: readyPods(2, "51000T") });
  const message = "failed to get cpu utilization: no metrics returned matched known pods";
  expect(proposal).toMatchObject(semantics === "1.38" ? { replicas: 4 } : { ok: false, message });
});

test("a pod that is kept is read again by the rules of another release", () => {
  const pods = preparePods(readyPods(2, "51000T"));
  const samples = cpuSamples(["51000T", "51000T"]);
  const isRead = (semantics: SemanticsProfile) =>
    under(semantics, { metric: cpuUtilization(50), samples, pods }).ok;
  expect([isRead("1.38"), isRead("1.37"), isRead("1.38")]).toEqual([true, false, true]);
});

test.each(profiles)("under %s a total beyond an int32 goes to the maximum", (semantics) => {
  const policies = [{ type: "Pods" as const, value: 100, periodSeconds: 60 }];
  const behavior = { scaleUp: { stabilizationWindowSeconds: 0, policies } };
  const input = externalInput("1", 1, {
    hpa: hpaOf({ maxReplicas: 30, behavior, metrics: [podsMetric("1m")] }),
    pods: { ok: true, pods: readyPods(1) },
    samples: [podsSamples(["5G"])],
    options: { semantics },
  });
  expect(decide(input).decision.desiredReplicas).toBe(semantics === "1.38" ? 30 : 1);
});

test.each(profiles)("under %s the average of a target without replicas", (semantics) => {
  const proposal = proposeReplicas({
    ...base,
    specReplicas: 0,
    statusReplicas: 0,
    metric: externalAverage("10"),
    samples: { values: [{ value: "30" }] },
    options: { semantics },
  });
  expect(proposal).toMatchObject({
    replicas: 3,
    status: {
      external: { current: { averageValue: semantics === "1.38" ? "0" : "-9223372036854775808m" } },
    },
  });
});

test.each(profiles)("under %s the name of an object average in the event", (semantics) => {
  const describedObject = { apiVersion: "v1", kind: "Service", name: "front" };
  const target = { type: "AverageValue", averageValue: "10" };
  const metrics: readonly MetricSpec[] = [
    { type: "Object", object: { describedObject, metric: { name: "m" }, target } },
  ];
  const input = externalInput("50", 2, {
    hpa: hpaOf({ metrics }),
    samples: [{ value: "50" }],
    options: { semantics },
  });
  const name = semantics === "1.38" ? "Service metric m" : "external metric m(nil)";
  expect(decide(input).decision.events.map(({ message }) => message)).toContainEqual(
    expect.stringContaining(`reason: ${name} above target`),
  );
});

test.each(profiles)("under %s the first container without a request", (semantics) => {
  const pods = readyPods(2).map((pod) => ({
    ...pod,
    spec: { containers: [{ name: "app" }], initContainers: [{ name: "mesh", restartPolicy: "Always" }] },
  }));
  const proposal = under(semantics, { metric: cpuUtilization(50), samples: cpuSamples(["1", "1"]), pods });
  const first = semantics === "1.38" ? "mesh" : "app";
  expect(proposal.ok || proposal.message).toContain(
    `missing request for cpu in container ${first} of Pod pod-0`,
  );
});

test.each(profiles)("under %s status.observedGeneration is written", (semantics) => {
  const { decision } = decide(externalInput("35", 2, { options: { semantics } }));
  const isWritten = semantics === "1.37" || semantics === "1.38";
  expect(decision.status.observedGeneration).toBe(isWritten ? 3 : undefined);
});
