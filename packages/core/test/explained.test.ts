// The short explanation of a decision, as `plimsoll explain` prints it.
import { expect, test } from "vitest";
import {
  type DecideInput,
  decide,
  explainWhyNot,
  type HpaMemory,
  headLine,
  metricRows,
  recordDecision,
  stepLines,
  summarize,
  whyNot,
} from "../src/index.ts";
import { cpuSamples, cpuUtilization, externalAverage, externalInput, hpaOf, readyPods } from "./fixtures.ts";

const nowMs = Date.parse("2026-11-22T10:00:02Z");
const at = (text: string) => Date.parse(`2026-11-22T${text}Z`);

const shop: DecideInput = {
  ...externalInput("90", 8, {
    hpa: hpaOf({
      metrics: [cpuUtilization(60), externalAverage("30", "queue_depth")],
      minReplicas: 2,
      maxReplicas: 40,
    }),
    pods: { ok: true, pods: readyPods(8, "500m") },
    samples: [
      { pods: cpuSamples(Array.from({ length: 8 }, () => "170m")).pods },
      { values: [{ value: "90" }] },
    ],
    scale: { ok: true, specReplicas: 8, statusReplicas: 8, selector: "app=shop" },
  }),
  nowMs,
};
const log = (...entries: readonly (readonly [number, string])[]): HpaMemory => ({
  recommendations: entries.map(([replicas, time]) => ({ replicas, atMs: at(time) })),
  scaleUpEvents: [],
  scaleDownEvents: [],
});
const shopMemory = log([5, "09:55:16"], [8, "09:59:31"], [5, "09:59:47"]);
const recordOf = (input: DecideInput, memory: HpaMemory | undefined) =>
  recordDecision({ input, memory, result: decide(input, memory), applied: { outcome: "nothing-to-do" } });

test("a window that holds is the first mock-up of explain", () => {
  const { decision } = decide(shop, shopMemory);
  expect(summarize(decision)).toEqual({
    current: 8,
    desired: 8,
    proposed: 5,
    action: "hold",
    heldBy: "stabilize",
    decidedBy: 0,
    notBefore: "2026-11-22T10:04:31Z",
  });
  expect(headLine(decision)).toBe(
    "Staying at 8 replicas: metrics call for 5, but a recommendation of 8 is in the stabilization window until at least 10:04:31",
  );
  expect(
    metricRows(decision).map((row) => [
      row.label,
      row.value,
      row.target,
      row.ratioText,
      row.replicas,
      row.decides,
    ]),
  ).toEqual([
    ["cpu, % of requests", "34%", "60%", "0.567", 5, true],
    ["queue_depth (External)", "90", "30 each", "0.375", 3, false],
  ]);
  expect(stepLines(decision)).toEqual([
    { name: "scale", text: "8 in spec, 8 in status; selector app=shop" },
    { name: "metrics", text: "5 = ⌈0.567 × 8 ready pods⌉; 0.567 is outside 0.9–1.1" },
    { name: "stabilize", text: "5 -> 8  held by 8 from 09:59:31; window 300s down" },
    { name: "limits", text: "8 within [2, 40]" },
  ]);
});

test("what holds five replicas is named with its end and the setting", () => {
  expect(explainWhyNot(whyNot(recordOf(shop, shopMemory), 5), { atMs: nowMs })).toBe(
    [
      "Why not 5: held by the stabilization window: the highest recommendation since 09:55:02 is 8 (09:59:31).",
      "  earliest         after 10:04:31, if no recommendation above 5 follows by then",
      "  or               behavior.scaleDown.stabilizationWindowSeconds <= 31",
    ].join("\n"),
  );
});

test("twelve replicas need other values", () => {
  expect(explainWhyNot(whyNot(recordOf(shop, shopMemory), 12))).toBe(
    "Why not 12: cpu would have to be at 83% (now 34%), or queue_depth at 331 (now 90).",
  );
});

test("values of one pod say so, and are no thousandths", () => {
  const target = { type: "AverageValue", averageValue: "300m" };
  const [cpu] = shop.samples;
  if (cpu === undefined) throw new Error("no sample");
  const input: DecideInput = {
    ...shop,
    hpa: hpaOf({
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
      minReplicas: 2,
      maxReplicas: 40,
    }),
    samples: [cpu],
  };
  expect(explainWhyNot(whyNot(recordOf(input, shopMemory), 12))).toBe(
    "Why not 12: cpu would have to be at 0.413 each (now 0.17).",
  );
});

test("a name of many parentheses is read once", () => {
  const name = `${"(".repeat(100_000)}x`;
  const describedObject = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
  const object = { describedObject, metric: { name }, target: { type: "Value", value: "30" } };
  const input: DecideInput = {
    ...shop,
    hpa: hpaOf({ metrics: [{ type: "Object", object }], minReplicas: 2, maxReplicas: 40 }),
    samples: [{ value: "90" }],
  };
  expect(metricRows(decide(input, shopMemory).decision).map((row) => row.name)).toEqual([name]);
});
