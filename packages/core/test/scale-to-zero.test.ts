import { expect, test } from "vitest";
import {
  type DecideInput,
  decide,
  explain,
  type HpaMemory,
  type HpaStatus,
  type MetricSamples,
  type MetricSpec,
} from "../src/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  readyPods,
} from "./fixtures.ts";

const failed: MetricSamples = { error: "no metrics returned from resource metrics API" };

/** One turn for each total of the queue, a minute apart; what the object wants is done at once. */
function trajectory(
  totals: readonly string[],
  setup: {
    metrics?: readonly MetricSpec[];
    options?: DecideInput["options"];
    start?: number;
    status?: HpaStatus;
  } = {},
): readonly number[] {
  const { metrics = [externalAverage("10")], options = {} } = setup;
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  let replicas = setup.start ?? 2;
  let { status } = setup;
  let memory: HpaMemory | undefined;
  return totals.map((total, turn) => {
    const samples = metrics.map(({ type }): MetricSamples => {
      if (type === "External") return { values: [{ value: total }] };
      return replicas === 0 ? failed : cpuSamples(Array.from({ length: replicas }, () => "10m"));
    });
    const hpa = {
      ...hpaOf({ minReplicas: 0, metrics, behavior }),
      ...(status === undefined ? {} : { status }),
    };
    const pods = { ok: true as const, pods: readyPods(replicas) };
    const input = externalInput(total, replicas, {
      nowMs: nowMs + turn * 60_000,
      hpa,
      samples,
      pods,
      options,
    });
    const result = decide(input, memory);
    ({ memory } = result);
    ({ status } = result.decision);
    replicas = result.decision.scaleTo ?? replicas;
    return replicas;
  });
}

const zeroed: HpaStatus = {
  currentReplicas: 0,
  desiredReplicas: 0,
  currentMetrics: null,
  conditions: [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" }],
};
const work = ["20", "0", "0", "1", "35", "0"];

test("an External metric of 0 scales to zero, and of more brings the target back", () => {
  expect(trajectory(work)).toEqual([2, 0, 0, 1, 4, 0]);
});

test("a Value target does so too", () => {
  const metrics: readonly MetricSpec[] = [
    { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } } },
  ];
  expect(trajectory(["10", "0", "0", "25"], { metrics })).toEqual([2, 0, 0, 3]);
});

test("cpu beside it keeps one replica while it has a value, as it has while a pod runs", () => {
  const metrics = [externalAverage("10"), cpuUtilization(50)];
  expect(trajectory(work, { metrics })).toEqual([2, 1, 1, 1, 4, 1]);
});

test("cpu beside it has no value at zero, and does not keep the target there", () => {
  const metrics = [externalAverage("10"), cpuUtilization(50)];
  expect(trajectory(["0", "15"], { metrics, start: 0, status: zeroed })).toEqual([0, 2]);
});

test("a zero that a person set stays; before 1.36 the minimum alone says so", () => {
  expect(trajectory(["30", "30"], { start: 0 })).toEqual([0, 0]);
  expect(trajectory(["30"], { start: 0, options: { semantics: "1.35" } })).toEqual([3]);
});

test("with the gate off a zero stays, whoever set it", () => {
  expect(trajectory(work, { options: { scaleToZero: false } })).toEqual([2, 0, 0, 0, 0, 0]);
});

test("a delay after a scale delays the reverse scale as well", () => {
  expect(trajectory(work, { options: { upscaleForbiddenWindowMs: 120_000 } })).toEqual([2, 0, 0, 0, 4, 0]);
});

const ofObject: MetricSpec = {
  type: "Object",
  object: {
    describedObject: { apiVersion: "v1", kind: "Service", name: "web" },
    metric: { name: "requests" },
    target: { type: "Value", value: "10" },
  },
};

test.each<[MetricSpec, MetricSamples, number | undefined]>([
  [externalAverage("10"), { values: [{ value: "25" }] }, 3],
  [ofObject, { value: "25" }, 3],
  [cpuUtilization(50), failed, undefined],
])("at zero, %j is read only where it needs no pods", (metric, samples, scaleTo) => {
  const hpa = { ...hpaOf({ minReplicas: 0, metrics: [metric] }), status: zeroed };
  const { decision } = decide(externalInput("", 0, { hpa, samples: [samples] }));
  expect(decision.scaleTo).toBe(scaleTo);
  expect(decision.trace.some(({ kind }) => kind === "disabled")).toBe(scaleTo === undefined);
});

const settled: HpaMemory = {
  recommendations: [{ replicas: 0, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

test.each<[string, Partial<DecideInput["hpa"]["spec"]>, MetricSamples, string]>([
  ["a metric without pods", { minReplicas: 0 }, { values: [{ value: "0" }] }, "True"],
  ["a metric of pods", { minReplicas: 0, metrics: [cpuUtilization(50)] }, cpuSamples(["0"]), "False"],
  ["the maximum", { maxReplicas: 0 }, { values: [{ value: "9" }] }, "False"],
])("a scale to zero by %s is one that metrics can undo: %s", (_, spec, samples, status) => {
  const pods = { ok: true, pods: readyPods(1) } as const;
  const input = externalInput("", 1, { hpa: hpaOf(spec), samples: [samples], pods });
  const { decision } = decide(input, settled);
  expect(decision.scaleTo).toBe(0);
  expect(decision.status.conditions.find(({ type }) => type === "ScaledToZero")?.status).toBe(status);
});

test("releases before the condition neither set nor remove it", () => {
  const ofOld = (replicas: number, status: HpaStatus | undefined) => {
    const hpa = { ...hpaOf({}), status };
    const options = { semantics: "1.35", scaleToZero: false } as const;
    return decide(externalInput("35", replicas, { hpa, options })).decision.status.conditions;
  };
  const types = (conditions: HpaStatus["conditions"]) => conditions.map(({ type }) => type);
  expect(types(ofOld(2, undefined))).not.toContain("ScaledToZero");
  for (const replicas of [0, 2]) expect(ofOld(replicas, zeroed)).toContainEqual(zeroed.conditions[0]);
});

test.each(["0", "25"])(
  "our own kind shows 0 per pod of a total of %s while no pod runs, and an HPA upstream's text",
  (total) => {
    const shown = (kind: string) => {
      const hpa = { ...hpaOf({ minReplicas: 0, metrics: [externalAverage("10")] }), kind };
      const options = { semantics: "1.35" } as const;
      const { decision } = decide(externalInput(total, 0, { hpa, options }));
      const [metric] = decision.status.currentMetrics ?? [];
      return { value: metric?.external?.current.averageValue, text: explain(decision) };
    };
    const own = shown("WorkloadAutoscaler");
    expect(own.value).toBe("0");
    expect(own.text).not.toMatch(/9223372036854775808/);
    expect(shown("HorizontalPodAutoscaler").value).toBe("-9223372036854775808m");
  },
);

test("with adoptsFromZero a metric above zero starts a target that something else scaled to zero", () => {
  const options = { adoptsFromZero: true };
  expect(trajectory(["0", "25", "0", "0", "5"], { start: 0, options })).toEqual(
    trajectory(["0", "25", "0", "0", "5"], { start: 0, options: { semantics: "1.35" } }),
  );
  expect(trajectory(["0", "25"], { start: 0, options })).toEqual([0, 3]);
  expect(trajectory(["0", "25"], { start: 0 })).toEqual([0, 0]);
  expect(trajectory(["25"], { start: 0, options: { ...options, scaleToZero: false } })).toEqual([0]);
  expect(trajectory(["25"], { start: 0, options, metrics: [cpuUtilization(50)] })).toEqual([0]);
  const own = hpaOf({ minReplicas: 2, metrics: [externalAverage("10")] });
  const stopped = decide({ ...externalInput("25", 0), hpa: own, options });
  expect(stopped.decision.scaleTo).toBeUndefined();
});
