// Every answer of whyNot is checked by deciding again.
import { describe, expect, test } from "vitest";
import { type DecideInput, decide, type HpaMemory, type HpaSpec, whyNot } from "../src/index.ts";

const nowMs = Date.parse("2026-11-22T10:00:00Z");
const noHistory: HpaMemory = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

interface World {
  readonly spec: Partial<HpaSpec>;
  readonly specReplicas: number;
  readonly statusReplicas?: number;
  readonly pods: number;
  readonly samples: DecideInput["samples"];
}

const podName = (index: number) => `web-${index}`;

function inputOf({ spec, specReplicas, statusReplicas = specReplicas, pods, samples }: World): DecideInput {
  const readyAt = "2026-11-22T08:00:00Z";
  return {
    nowMs,
    hpa: {
      apiVersion: "autoscaling/v2",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 200,
        ...spec,
      },
    },
    scale: { ok: true, specReplicas, statusReplicas, selector: "app=web" },
    pods: {
      ok: true,
      pods: Array.from({ length: pods }, (_, index) => ({
        metadata: { name: podName(index) },
        spec: { containers: [{ name: "main", resources: { requests: { cpu: "500m" } } }] },
        status: {
          phase: "Running",
          startTime: readyAt,
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: readyAt }],
        },
      })),
    },
    samples,
  };
}

const external = (averageValue = "10"): Partial<HpaSpec> => ({
  metrics: [
    {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue } },
    },
  ],
});
const total = (value: number) => [{ values: [{ value: String(value) }] }];
const usage = (pods: number, milli: number): DecideInput["samples"] => [
  {
    pods: Array.from({ length: pods }, (_, index) => ({
      name: podName(index),
      timestamp: "2026-11-22T09:59:50Z",
      windowSeconds: 30,
      containers: { main: { cpu: `${milli}m` } },
    })),
  },
];

const ask = (input: DecideInput, n: number, memory: HpaMemory = noHistory) =>
  whyNot({ input, memory, semantics: "1.37" }, n);
const desired = (input: DecideInput, memory: HpaMemory = noHistory) => {
  const { decision } = decide(input, memory);
  return decision.scaleTo ?? decision.currentReplicas;
};

describe("a surge: more pods than replicas", () => {
  const surge = (value: number) =>
    inputOf({ spec: external(), specReplicas: 10, statusReplicas: 15, pods: 15, samples: total(value) });

  test("finds the values, and each of them gives the replicas", () => {
    const found = ask(surge(105), 15);
    expect(found).toMatchObject({ is: "metrics", values: [{ name: "queue", needed: "135", upTo: "165" }] });
    expect([135, 141, 150, 165].map((value) => desired(surge(value)))).toEqual([15, 15, 15, 15]);
    expect([134, 166].map((value) => desired(surge(value)))).not.toContain(15);
  });
});

describe("pods that another owner runs count as well", () => {
  const spec: Partial<HpaSpec> = {
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
      },
    ],
  };
  const input = (milli: number) => inputOf({ spec, specReplicas: 12, pods: 22, samples: usage(22, milli) });

  test("finds a lower utilization that gives more replicas than within the tolerance", () => {
    const found = ask(input(335), 14);
    expect(found).toMatchObject({ is: "metrics", values: [{ name: "cpu", needed: "42%", upTo: "44%" }] });
    expect([210, 215, 220].map((milli) => desired(input(milli)))).toEqual([14, 14, 14]);
  });

  test("says so where no value gives the replicas", () => {
    expect(ask(input(335), 24)).toMatchObject({
      why: expect.stringContaining("No metric value was found"),
    });
  });
});

test("the highest recommendation of the window is the one that is named", () => {
  const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);
  const input = inputOf({
    spec: { ...external(), behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
    specReplicas: 17,
    pods: 17,
    samples: total(90),
  });
  const found = ask(input, 9, {
    ...noHistory,
    recommendations: [
      { replicas: 24, atMs: at("09:50:50") },
      { replicas: 21, atMs: at("09:58:20") },
    ],
  });
  expect(found).toMatchObject({
    step: "stabilize",
    why: "Held by the stabilization window: the highest recommendation since 09:50:00 is 24 (09:50:50).",
  });
});

test("every limit between here and the number is named", () => {
  const policies = [{ type: "Pods", value: 10, periodSeconds: 60 }];
  const input = inputOf({
    spec: { ...external(), behavior: { scaleUp: { policies, stabilizationWindowSeconds: 0 } } },
    specReplicas: 50,
    pods: 50,
    samples: total(500),
  });
  const found = ask(input, 250);
  expect(found).toMatchObject({
    step: "rate",
    notes: ["Also: capped by maxReplicas (200)."],
  });
});
