import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { proposeReplicas } from "../src/decide/steps/index.ts";
import {
  createPodCompactor,
  type DecideInput,
  decide,
  encodeRecord,
  formatInstant,
  type MetricSpec,
  type Pod,
  preparePod,
  preparePods,
  recordDecision,
  semanticsProfiles,
} from "../src/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalInput,
  hpaOf,
  nowMs,
  podsMetric,
  podsSamples,
  readyPod,
} from "./fixtures.ts";

const instant = fc.option(
  fc.integer({ min: -900, max: 60 }).map((seconds) => new Date(nowMs + seconds * 1000).toISOString()),
  { nil: undefined },
);
const quantity = fc.constantFrom("0", "100m", "1", "1500m", "2Gi", "9e18", "-1", "no quantity", 7, null);
const requests = fc.dictionary(fc.constantFrom("cpu", "memory", "gpu"), quantity);
const container = fc.record(
  {
    name: fc.constantFrom("app", "proxy"),
    restartPolicy: fc.constant("Always"),
    resources: fc.record({ requests }, { requiredKeys: [] }),
  },
  { requiredKeys: ["name"] },
);
const anyPod = fc.record(
  {
    metadata: fc.record(
      { name: fc.nat(7).map((i) => `pod-${i}`), deletionTimestamp: instant },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      {
        containers: fc.array(container, { maxLength: 3 }),
        initContainers: fc.array(container, { maxLength: 2 }),
        resources: fc.record({ requests: fc.option(requests) }, { requiredKeys: [] }),
        overhead: requests,
      },
      { requiredKeys: [] },
    ),
    status: fc.record(
      {
        phase: fc.constantFrom("Running", "Pending", "Failed", "Succeeded", "Running", "Running"),
        startTime: instant,
        conditions: fc.array(
          fc.record(
            {
              type: fc.constantFrom("Ready", "Initialized"),
              status: fc.constantFrom("True", "False", "Unknown"),
              lastTransitionTime: fc.oneof(instant, fc.constant(7), fc.constant(null)),
            },
            { requiredKeys: ["type", "status"] },
          ),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<object>;
const pods = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: anyPod },
    { weight: 3, arbitrary: fc.nat(7).map((i) => readyPod(`pod-${i}`)) },
    { weight: 1, arbitrary: fc.constantFrom(null, 3, "pod", [], {}) },
  ),
  { maxLength: 10 },
) as fc.Arbitrary<readonly Pod[]>;

const target = { type: "Utilization", averageUtilization: 50 };
/** It counts the pods that run and are ready. */
const total: MetricSpec = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "Value", value: "3" } },
};
const metrics: readonly MetricSpec[] = [
  cpuUtilization(50),
  { type: "Resource", resource: { name: "memory", target } },
  { type: "Resource", resource: { name: "gpu", target } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "app", target } },
  podsMetric("500m"),
  total,
];

const evaluation = fc.record({
  pods,
  usage: fc.array(fc.constantFrom("0", "90m", "700m", "3", "1Gi"), { maxLength: 9 }),
  replicas: fc.nat(12),
  semantics: fc.constantFrom(...semanticsProfiles),
});

test("prepared pods give exactly the decision of the pods they were made of, however often they are used", () => {
  assertProperty(
    fc.property(evaluation, (given) => {
      const resource = cpuSamples(given.usage);
      for (const sample of resource.pods) Object.assign(sample.containers.app, { memory: "1Gi", gpu: "1" });
      const all = [resource, resource, resource, resource, podsSamples(given.usage)];
      const samples = [...all, { values: [{ value: String(given.replicas * 4) }] }];
      const prepared = preparePods(given.pods);
      const inputOf = (list: readonly Pod[]): DecideInput =>
        externalInput("0", given.replicas, {
          hpa: hpaOf({ metrics, maxReplicas: 100 }),
          pods: { ok: true, pods: list },
          samples,
          options: { semantics: given.semantics },
        });
      const expected = decide(inputOf(given.pods));
      expect(decide(inputOf(prepared))).toStrictEqual(expected);
      expect(decide(inputOf(prepared))).toStrictEqual(expected);
      expect(decide(inputOf(JSON.parse(JSON.stringify(prepared)) as readonly Pod[]))).toStrictEqual(expected);
    }),
    { numRuns: 500 },
  );
});

const seconds = (most: number) =>
  fc.integer({ min: -most, max: most }).map((n) => formatInstant(nowMs + n * 1000));
const usualPod = fc.record({
  metadata: fc.record(
    { name: fc.nat(7).map((i) => `pod-${i}`), deletionTimestamp: instant },
    { requiredKeys: ["name"] },
  ),
  spec: fc.constant({ containers: [{ name: "app", resources: { requests: { cpu: "100m" } } }] }),
  status: fc.record({
    phase: fc.constantFrom("Running", "Pending", "Failed", "Succeeded", "Unknown", "Gone"),
    startTime: fc.oneof(seconds(900), instant),
    conditions: fc.tuple(
      fc.record({
        type: fc.constantFrom("Ready", "Ready", "Ready", "Initialized"),
        status: fc.constantFrom("True", "False", "Unknown", "Maybe"),
        lastTransitionTime: fc.oneof(seconds(900), instant, fc.constant("1969-12-31T23:59:59Z")),
      }),
    ),
  }),
}) as fc.Arbitrary<Pod>;

test("compact pods give exactly the decision, the JSON and the record of the pods they were made of", () => {
  const compact = createPodCompactor();
  assertProperty(
    fc.property(
      fc.array(
        fc.oneof(
          usualPod,
          pods.map(([first]) => first ?? {}),
        ),
        { maxLength: 8 },
      ),
      (given) => {
        const kept = given.map((pod) =>
          typeof pod === "object" && pod !== null ? (compact(pod) ?? pod) : pod,
        );
        const usage = ["90m", "700m", "3"];
        const inputOf = (list: readonly Pod[]): DecideInput => ({
          ...externalInput("0", 3, {
            hpa: hpaOf({ metrics: [cpuUtilization(50), total], maxReplicas: 100 }),
          }),
          pods: { ok: true, pods: list },
          samples: [cpuSamples(usage), { values: [{ value: "9" }] }],
        });
        const expected = decide(inputOf(given));
        expect(decide(inputOf(kept))).toStrictEqual(expected);
        expect(JSON.stringify(kept)).toBe(JSON.stringify(given));
        const recorded = (list: readonly Pod[]) =>
          encodeRecord(
            recordDecision({
              input: inputOf(list),
              memory: undefined,
              result: expected,
              applied: { outcome: "shadow" },
            }),
          );
        expect(recorded(kept)).toBe(recorded(given));
      },
    ),
    { numRuns: 500 },
  );
});

test("a pod with another status than the usual one is not made compact", () => {
  const compact = createPodCompactor();
  const { status, ...pod } = readyPod("pod-0");
  expect(compact({ ...pod, status })).toBeDefined();
  expect(compact({ ...pod, status: { ...status, conditions: [] } })).toBeUndefined();
  expect(compact({ ...pod, status: { ...status, startTime: "2026-01-01T00:00:00.5Z" } })).toBeUndefined();
  expect(compact(pod)).toBeUndefined();
});

test("a pod that is not whole is not made compact", () => {
  const compact = createPodCompactor();
  const pod = readyPod("pod-0");
  for (const odd of [null, undefined, "a", 7])
    for (const part of [{ spec: odd }, { status: odd }, { status: { ...pod.status, conditions: odd } }])
      expect(compact({ ...pod, ...part } as Pod)).toBeUndefined();
});

test("a pod that has been ready counts at each use of what was prepared of it", () => {
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T11:00:00Z" }];
  const pod = readyPod("pod-0");
  const prepared = preparePod({ ...pod, status: { ...pod.status, conditions } });
  const input = { metric: cpuUtilization(50), specReplicas: 1, statusReplicas: 1, nowMs, pods: [prepared] };
  for (const _ of [1, 2, 3]) {
    const { trace } = proposeReplicas({ ...input, samples: cpuSamples(["500m"]) });
    expect(trace.counts).toMatchObject({ ready: 1, unready: 0 });
  }
});

test("a changed copy of a prepared pod is prepared again", () => {
  const pod = preparePod(readyPod("pod-0"));
  const counts = (list: readonly Pod[]) => {
    const [metric = cpuUtilization(50), samples] = [metrics[0], cpuSamples(["500m"])];
    const proposal = proposeReplicas({
      nowMs,
      metric,
      specReplicas: 1,
      statusReplicas: 1,
      pods: list,
      samples,
    });
    return proposal.trace.counts;
  };
  expect(counts([pod])).toMatchObject({ ready: 1, unready: 0 });
  expect(counts([{ ...pod, status: { phase: "Pending" } }])).toMatchObject({ ready: 0, unready: 1 });
});
