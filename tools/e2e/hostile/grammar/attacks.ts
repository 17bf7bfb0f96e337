import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { Attack, Step } from "../attack.ts";
import { cronHpa } from "./cron-hpas.ts";
import { fatObjects } from "./fat-objects.ts";
import { liveMetrics } from "./live.ts";
import { metrics } from "./metrics.ts";
import { queries } from "./queries.ts";
import { request, silent } from "./requests.ts";
import { hostileMetric, metadata, object, repeated, spoiled, target } from "./words.ts";
import { workloadAutoscaler } from "./workload-autoscalers.ts";

const horizontalPodAutoscaler = object(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  fc.record({
    scaleTargetRef: target,
    minReplicas: fc.constant(1),
    maxReplicas: fc.constantFrom(10, 2_147_483_647),
    metrics: metrics(500),
  }),
  metadata,
);

const pod = object(
  "v1",
  "Pod",
  fc.constant({ nodeName: "n{e}", containers: [{ name: "app", image: "i" }] }),
  fc.integer({ min: 1, max: 5000 }).map((times) => ({
    labels: { $map: { key: "label-{i}", value: "v{n}" }, times },
  })),
);

const write: Arbitrary<Step> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: workloadAutoscaler.map((written) => ({ object: written })) },
      { weight: 2, arbitrary: horizontalPodAutoscaler.map((written) => ({ object: written })) },
      // An older definition of this kind, which another program brought, has no limits.
      { weight: 2, arbitrary: cronHpa.map((written) => ({ object: written, unchecked: true })) },
      { weight: 1, arbitrary: pod.map((written) => ({ object: written })) },
    ),
    fc.constantFrom(1, 1, 5, 30),
    fc.constantFrom(0, 0, 1, 10),
  )
  .map(([written, copies, editsPerSecond]) => ({
    write: { ...written, copies, ...(editsPerSecond === 0 ? {} : { editsPerSecond }) },
  }));

const series: Arbitrary<Step> = fc
  .tuple(
    fc.oneof(hostileMetric, fc.constantFrom("victim_load", "victim_total", "queue_depth")),
    fc.subarray(["pod", "Pod", "POD", "Namespace", "NAMESPACE", "deployment", "Deployment", "pods", "queue"]),
    fc.oneof(fc.constantFrom("web-0", "victim", "orders", "target-{n}"), repeated(fc.constant("x"), 10_000)),
    fc.constantFrom(1, 1, 200),
    fc.constantFrom("1", "NaN", "+Inf", "-1e308"),
  )
  .map(([name, labels, value, copies, sample]) => ({
    series: {
      metric: name,
      labels: { copy: "{n}", ...Object.fromEntries(labels.map((label) => [label, value])) },
      copies,
      value: sample,
    },
  }));

/** Longer than any text that a metric needs. */
const fatSeries: Arbitrary<Step> = fc
  .tuple(fc.constantFrom(100_000, 4_000_000), fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 2))
  .map(([bytes, labels, copies]) => ({
    series: {
      metric: "hostile_load",
      labels: {
        pod: "target-{n}",
        ...Object.fromEntries(
          Array.from({ length: labels }, (_, n) => [`fat_${n}`, { $repeat: "x", times: bytes }]),
        ),
      },
      copies,
    },
  }));

/** With the series that let a spoiled metric be found, and a few for the queries of all of a metric. */
const prepared: readonly Step[] = [
  ...Object.entries(spoiled).flatMap(([name, answers]) => [
    { series: { metric: name, labels: { pod: "target-0" } } },
    { prometheus: { metric: name, answers } },
  ]),
  {
    series: {
      metric: "hostile_wide",
      labels: { pod: "target-{n}", text: "value-{n}", copy: "{n}" },
      copies: 300,
    },
  },
];

const single = (step: Arbitrary<Step>) => step.map((one) => [one]);

const steps = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: single(write) },
      { weight: 3, arbitrary: single(request) },
      { weight: 1, arbitrary: single(series) },
      { weight: 1, arbitrary: single(fatSeries) },
      { weight: 4, arbitrary: queries },
      { weight: 3, arbitrary: liveMetrics },
      { weight: 1, arbitrary: single(fatObjects) },
      { weight: 1, arbitrary: single(silent) },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((drawn) => [...prepared, ...drawn.flat()]);

const attack = fc.tuple(steps, fc.integer({ min: 0, max: 9 }));

/** The n-th attack of a seed, whatever came before it. One of ten is there when the processes start. */
export function randomAttack(seed: number, n: number): Attack {
  const [[drawn, chance] = [[], 1]] = fc.sample(attack, { seed: seed + n, numRuns: 1 });
  return {
    name: `random-${seed}-${n}`,
    what: `Drawn with --seed ${seed}, the ${n}th.`,
    ...(chance === 0 ? { restart: true } : {}),
    steps: drawn,
  };
}
