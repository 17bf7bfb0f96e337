import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { Attack, Step } from "../attack.ts";
import { cronHpa } from "./cron-hpas.ts";
import { metrics } from "./metrics.ts";
import { request } from "./requests.ts";
import { metadata, object, repeated, target } from "./words.ts";
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

const metric = fc.constantFrom(
  "hostile_load",
  "hostile_hang",
  "hostile_slow",
  "hostile_long",
  "hostile_deep",
);

const series: Arbitrary<Step> = fc
  .tuple(
    fc.oneof(metric, fc.constantFrom("victim_load", "victim_total", "queue_depth")),
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

/** What Prometheus makes of metrics that a tenant can spoil, together with the series that let it be found. */
const faults: readonly Step[] = [
  { series: { metric: "hostile_hang", labels: { pod: "target-0" } } },
  { prometheus: { metric: "hostile_hang", answers: "hangs" } },
  { series: { metric: "hostile_slow", labels: { pod: "target-0" } } },
  { prometheus: { metric: "hostile_slow", answers: "timeout" } },
  { series: { metric: "hostile_long", labels: { pod: "target-0" } } },
  { prometheus: { metric: "hostile_long", answers: "long-error" } },
  { series: { metric: "hostile_deep", labels: { pod: "target-0" } } },
  { prometheus: { metric: "hostile_deep", answers: "nested-type" } },
];

const steps = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: write },
      { weight: 3, arbitrary: request },
      { weight: 1, arbitrary: series },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((drawn) => [...faults, ...drawn]);

/** The n-th attack of a seed, whatever came before it. */
export function randomAttack(seed: number, n: number): Attack {
  const [drawn = []] = fc.sample(steps, { seed: seed + n, numRuns: 1 });
  return { name: `random-${seed}-${n}`, what: `Drawn with --seed ${seed}, the ${n}th.`, steps: drawn };
}
