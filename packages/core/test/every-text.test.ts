// What every step of a decision says, in every form in which a person reads it.
import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
import {
  changingRules,
  compareWithStatus,
  type DecideInput,
  decide,
  explain,
  explainWhyNot,
  type HpaMemory,
  type HpaSpec,
  headLine,
  type MetricSpec,
  metricRows,
  recordDecision,
  stepLines,
  summarize,
  whyNot,
} from "../src/index.ts";
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

const ago = (seconds: number): number => nowMs - seconds * 1000;
const memory = (more: Partial<HpaMemory> = {}): HpaMemory => ({
  recommendations: [{ replicas: 1, atMs: ago(900) }],
  scaleUpEvents: [],
  scaleDownEvents: [],
  ...more,
});
const recommended = (...all: readonly (readonly [number, number])[]): HpaMemory =>
  memory({ recommendations: all.map(([replicas, seconds]) => ({ replicas, atMs: ago(seconds) })) });
const queue = (
  total: string,
  replicas: number,
  spec: Partial<HpaSpec> = {},
  more: Partial<DecideInput> = {},
) => externalInput(total, replicas, { hpa: hpaOf(spec), ...more });
const repeat = (count: number, usage: string) => cpuSamples(Array.from({ length: count }, () => usage));
const cpu = (usage: string, replicas: number, spec: Partial<HpaSpec> = {}, more: Partial<DecideInput> = {}) =>
  externalInput("0", replicas, {
    hpa: hpaOf({ metrics: [cpuUtilization(50)], ...spec }),
    pods: { ok: true, pods: readyPods(replicas) },
    samples: [repeat(replicas, usage)],
    ...more,
  });
const resource = (name: string, target: object): MetricSpec => ({
  type: "Resource",
  resource: { name, target: { type: "AverageValue", ...target } },
});
const object = (target: { type: string; value?: string; averageValue?: string }): MetricSpec => ({
  type: "Object",
  object: { metric: { name: "hits" }, describedObject: { kind: "Ingress", name: "main" }, target },
});
const scheduled = (input: DecideInput, bounds: { floor?: number; ceiling?: number }) => {
  const { floor, ceiling } = bounds;
  const active = [{ name: "night", ...bounds }, { name: "sale" }];
  return withSchedules(input, { atMs: nowMs, floor, ceiling, active, nextMs: nowMs + 60_000 });
};
const pods = (value: number, periodSeconds = 60) => ({ type: "Pods", value, periodSeconds });
const percent = (value: number, periodSeconds = 60) => ({ type: "Percent", value, periodSeconds });
const up = (...policies: readonly ReturnType<typeof pods>[]): Partial<HpaSpec> => ({
  behavior: { scaleUp: { policies } },
  maxReplicas: 40,
});
const down = (rules: object): Partial<HpaSpec> => ({
  behavior: { scaleDown: { stabilizationWindowSeconds: 0, ...rules } },
});
const unready = (name: string) => ({ ...readyPod(name), status: { phase: "Pending" } });
const lastScale = (seconds: number) => ({ lastScaleTime: new Date(ago(seconds)).toISOString() });
const cooldown = { downscaleForbiddenWindowMs: 300_000, upscaleForbiddenWindowMs: 180_000 };

/** The input, what came before it, and the replicas that are asked for. */
type Row = readonly [what: string, input: DecideInput, memory: HpaMemory | undefined, ...asked: number[]];
const rows: readonly Row[] = [
  ["one above", queue("40", 3), memory(), 3, 4, 5, 11],
  ["no history", queue("20", 4), undefined, 2, 6],
  ["zero wanted", queue("0", 4, { minReplicas: 0, ...down({}) }), memory(), 0, 1],
  [
    "at zero, to be woken",
    queue(
      "90",
      0,
      { minReplicas: 0 },
      {
        hpa: {
          ...hpaOf({ minReplicas: 0 }),
          status: { conditions: [{ type: "ScaledToZero", status: "True" }] },
        },
      },
    ),
    memory(),
    3,
  ],
  ["at zero", queue("90", 0), memory(), 1],
  ["at zero by a schedule", scheduled(queue("90", 0, { minReplicas: 0 }), { ceiling: 0 }), memory(), 1],
  ["cpu within tolerance", cpu("530m", 4), memory(), 5, 3],
  ["cpu at its target", cpu("500m", 4), memory(), 5],
  ["tolerance of the object", cpu("530m", 4, { behavior: { scaleUp: { tolerance: "0.2" } } }), memory(), 5],
  ["cpu without a sample of two pods", cpu("500m", 4, {}, { samples: [repeat(2, "800m")] }), memory(), 5, 2],
  ["a missing pod turns the direction", cpu("500m", 4, {}, { samples: [repeat(3, "590m")] }), memory(), 5],
  [
    "unready and missing pods",
    cpu(
      "0",
      5,
      {},
      {
        pods: { ok: true, pods: [...readyPods(3), unready("pod-3"), unready("pod-4")] },
        samples: [repeat(2, "900m")],
      },
    ),
    memory(),
    9,
  ],
  ["cpu below", cpu("100m", 6, down({})), memory(), 3, 1],
  [
    "memory of each pod",
    cpu(
      "0",
      3,
      { metrics: [resource("memory", { averageValue: "100Mi" })] },
      {
        samples: [
          {
            pods: [0, 1, 2].map((i) => ({
              name: `pod-${i}`,
              timestamp: "2026-01-01T11:59:45Z",
              windowSeconds: 30,
              containers: { app: { memory: "220Mi" } },
            })),
          },
        ],
      },
    ),
    memory(),
    3,
    9,
  ],
  [
    "packets of pods",
    cpu("0", 3, { metrics: [podsMetric("10")] }, { samples: [podsSamples(["10", "20", "31"])] }),
    memory(),
    5,
    9,
  ],
  [
    "an object's value",
    queue(
      "0",
      3,
      { metrics: [object({ type: "Value", value: "10" })] },
      { pods: { ok: true, pods: readyPods(3) }, samples: [{ value: "25" }] },
    ),
    memory(),
    5,
    9,
  ],
  [
    "an object's average",
    queue(
      "0",
      3,
      { metrics: [object({ type: "AverageValue", averageValue: "10" })] },
      { samples: [{ value: "25500m" }] },
    ),
    memory(),
    4,
    9,
  ],
  [
    "external value",
    queue(
      "0",
      3,
      {
        metrics: [
          {
            type: "External",
            external: {
              metric: { name: "q", selector: { matchLabels: { a: "b" } } },
              target: { type: "Value", value: "10" },
            },
          },
        ],
      },
      { pods: { ok: true, pods: readyPods(3) }, samples: [{ values: [{ value: "12" }, { value: "8" }] }] },
    ),
    memory(),
    4,
    8,
  ],
  [
    "two metrics",
    cpu(
      "700m",
      4,
      { metrics: [cpuUtilization(50), externalAverage("10")] },
      { samples: [repeat(4, "700m"), { values: [{ value: "95" }] }] },
    ),
    memory(),
    2,
    12,
  ],
  [
    "two metrics below",
    cpu(
      "100m",
      8,
      { metrics: [cpuUtilization(50), externalAverage("10")], ...down({}) },
      { samples: [repeat(8, "100m"), { values: [{ value: "45" }] }] },
    ),
    memory(),
    3,
    1,
  ],
  ["the window", queue("20", 4), recommended([4, 60], [4, 90], [3, 100]), 2, 1, 3],
  [
    "the window of behavior",
    queue("20", 4, { behavior: { scaleDown: { stabilizationWindowSeconds: 120 } } }),
    recommended([4, 60], [8, 119], [9, 130]),
    2,
  ],
  [
    "the window up",
    queue("90", 4, { behavior: { scaleUp: { stabilizationWindowSeconds: 90, policies: [pods(20)] } } }),
    recommended([5, 60], [4, 200]),
    9,
    7,
  ],
  ["the rate", queue("90", 4, up(pods(2))), memory(), 9, 7],
  [
    "the rate, used up",
    queue("90", 4, up(pods(2), percent(10, 120))),
    memory({
      scaleUpEvents: [
        { change: 2, atMs: ago(20) },
        { change: 1, atMs: ago(100) },
      ],
    }),
    9,
    5,
  ],
  ["the rate of the defaults", queue("900", 4, { maxReplicas: 200 }), memory(), 90],
  [
    "the rate down",
    queue("10", 8, down({ policies: [percent(10), pods(1, 15)], selectPolicy: "Min" })),
    memory({ scaleDownEvents: [{ change: 1, atMs: ago(10) }] }),
    1,
    6,
  ],
  [
    "the rate down, by percent",
    queue("10", 20, { ...down({ policies: [percent(20, 600)] }), maxReplicas: 30 }),
    memory({ scaleDownEvents: [{ change: 2, atMs: ago(30) }] }),
    1,
    10,
  ],
  ["up is disabled", queue("90", 4, { behavior: { scaleUp: { selectPolicy: "Disabled" } } }), memory(), 9],
  ["down is disabled", queue("10", 4, down({ selectPolicy: "Disabled" })), memory(), 1],
  ["the maximum", queue("730", 10), memory(), 20, 73],
  ["the minimum", queue("10", 3, { minReplicas: 2 }), memory(), 1],
  ["above the bounds", queue("10", 12), memory(), 12],
  ["below the bounds", queue("10", 1, { minReplicas: 3 }), memory(), 1, 5],
  ["a schedule's ceiling", scheduled(queue("90", 4), { ceiling: 4 }), memory(), 9],
  ["a schedule's floor", scheduled(queue("10", 8, down({})), { floor: 6 }), memory(), 1],
  ["a schedule's bounds", scheduled(queue("10", 8, down({})), { floor: 9, ceiling: 9 }), memory(), 1],
  [
    "a cooldown down",
    queue("20", 4, {}, { hpa: { ...hpaOf({}), status: lastScale(120) }, options: cooldown }),
    memory(),
    2,
  ],
  [
    "a cooldown up",
    queue("90", 4, {}, { hpa: { ...hpaOf({}), status: lastScale(120) }, options: cooldown }),
    memory(),
    9,
    6,
  ],
  ["a failure", queue("0", 3, {}, { samples: [{ error: "down" }] }), memory(), 4],
  [
    "a failure that blocks",
    queue(
      "10",
      4,
      { metrics: [externalAverage("10"), externalAverage("5", "other")] },
      { samples: [{ values: [{ value: "10" }] }, { error: "down" }] },
    ),
    memory(),
    1,
    6,
  ],
  ["no scale", queue("0", 3, {}, { scale: { ok: false, message: "not found" } }), memory(), 4],
  [
    "another HPA of the same pods",
    queue("90", 3, {}, { ambiguousWith: ["shop/web", "shop/other"] }),
    memory(),
    4,
  ],
  ["Shadow", queue("40", 3, {}, { mode: "Shadow" }), memory(), 4],
  ["Paused", queue("40", 3, {}, { mode: "Paused" }), memory(), 4],
  [
    "an unknown history",
    queue("90", 4, up(pods(2))),
    memory({ unknownHistory: { lastScaleMs: ago(30), untilMs: nowMs + 60_000 } }),
    9,
  ],
  ["of Kubernetes 1.32", cpu("530m", 4, {}, { options: { semantics: "1.32" } }), memory(), 5],
  ...(
    [
      { policy: "HoldLast", forSeconds: 600 },
      { policy: "Ignore" },
      { policy: "Assume", value: "30" },
      { policy: "Fallback", replicas: 7 },
      { policy: "Fallback", replicas: 2, allowScaleDown: true, afterSeconds: 60 },
    ] as const
  ).map(
    (policy, at): Row => [
      `${policy.policy} ${at}`,
      queue(
        "20",
        4,
        { metrics: [externalAverage("10"), externalAverage("5", "other")], ...down({}) },
        {
          samples: [{ values: [{ value: "20" }] }, { error: "down" }],
          failurePolicies: [{ policy: "Block" }, policy],
        },
      ),
      memory(),
      3,
    ],
  ),
];

test("each decision of a table", async () => {
  const lines: string[] = [];
  for (const [what, input, before, ...asked] of rows) {
    const result = decide(input, before);
    const { decision } = result;
    const record = recordDecision({ input, memory: before, result, applied: { outcome: "nothing-to-do" } });
    lines.push(`# ${what}`, headLine(decision, { atMs: nowMs }), JSON.stringify(summarize(decision)));
    lines.push(explain(decision));
    for (const every of [true, false])
      lines.push(
        ...stepLines(decision, { every, atMs: nowMs }).map(({ name, text }) => `- ${name}: ${text}`),
      );
    lines.push(...metricRows(decision).map((row) => JSON.stringify(row)));
    for (const n of [decision.scaleTo ?? decision.currentReplicas, ...asked])
      lines.push(explainWhyNot(whyNot(record, n), { atMs: nowMs }));
    lines.push(`rules of 1.32: ${changingRules(record, "1.32").join()}`);
    const other = externalInput("20", 4);
    const stored = decide(other, memory()).decision;
    lines.push(`other status: ${JSON.stringify(compareWithStatus(input, before, stored.status))}`);
    lines.push("");
  }
  await expect(lines.join("\n")).toMatchFileSnapshot("golden/every-text.txt");
});

test.each([-1, 1.5, Number.NaN])("a count of %d is refused", (n) => {
  const record = { input: queue("1", 1), memory: memory(), semantics: "1.37" } as const;
  expect(() => whyNot(record, n)).toThrow(new RangeError(`replicas must be a whole number, not ${n}`));
});
