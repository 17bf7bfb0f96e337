import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { Step } from "../attack.ts";
import { podPlaces } from "../live-pods.ts";
import { pageFaults } from "../page-faults.ts";
import { object } from "./words.ts";

const pods: Arbitrary<Step> = fc.record({
  pods: fc.record({
    pages: fc.constantFrom(...pageFaults),
    place: fc.oneof(
      { weight: 4, arbitrary: fc.constant("own" as const) },
      { weight: 1, arbitrary: fc.constantFrom(...podPlaces) },
    ),
    copies: fc.constantFrom(1, 10, 100, 300),
  }),
});

const range = fc.constantFrom("5s", "30s", "5m");

/** Over pages that mostly cannot be read. */
export const liveQuery: Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.constantFrom("rate", "increase", "sum_over_time", "stddev_over_time"), range)
    .map(([name, over]) => `sum(${name}(hostile_page[${over}]))`),
  fc
    .tuple(fc.integer({ min: 1, max: 20 }), range)
    .map(([times, over]) =>
      Array.from({ length: times }, () => `count(quantile_over_time(0.5,hostile_page[${over}]))`).join("+"),
    ),
  fc.constantFrom(
    'max by (text,secret)({__name__=~".+"})',
    "hostile_page * on (n) hostile_page",
    "sum without (round)(hostile_page) or hostile_page",
    "topk(3,hostile_page)",
    'sum(hostile_page{text=~"(x+x+)+y"})',
    'count({__name__="hostile_page",n=~"(1|2)*1(1|2){14}",text=~"(x|y)*x(x|y){14}"})',
    "histogram_quantile(0.9,hostile_page)",
  ),
);

const live = fc.record({
  port: fc.constantFrom<unknown>("metrics", "other", 1, 65_535, 6443),
  path: fc.constantFrom("/metrics", "/metrics/{n}", "/../..", "//169.254.169.254/latest", "/%0d%0aHost:x"),
  scheme: fc.oneof(
    { weight: 5, arbitrary: fc.constant("http") },
    { weight: 1, arbitrary: fc.constant("https") },
  ),
  interval: fc.constantFrom("1s", "1s", "60s"),
  podSelector: fc.constantFrom<unknown>(
    {},
    { matchExpressions: [{ key: "pages", operator: "Exists" }] },
    { matchLabels: { group: "g{n}" } },
  ),
});

const rule = object(
  "autoscaling.plimsoll.dev/v1alpha1",
  "MetricRule",
  fc.tuple(liveQuery, live, fc.constantFrom("External", "Pods")).map(([query, source, type]) => ({
    type,
    metric: "drawn-live-{n}",
    query,
    live: source,
  })),
);

const autoscaler = object(
  "autoscaling.plimsoll.dev/v1alpha1",
  "WorkloadAutoscaler",
  fc.tuple(liveQuery, live).map(([promql, source]) => ({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "target" },
    minReplicas: 1,
    maxReplicas: 10,
    metrics: [
      { type: "Query", query: { promql, live: source, target: { type: "AverageValue", averageValue: "1" } } },
    ],
  })),
);

const requests: readonly Step[] = [
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/hostile/drawn-live-{n}",
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/hostile/pods/*/drawn-live-{n}",
].map((path) => ({ request: { path, times: 60, atOnce: 30 } }));

/** Pods with pages, and rules or autoscalers that read them. */
export const liveMetrics: Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(pods, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(1, 10, 100),
    fc.oneof(rule, autoscaler),
  )
  .map(([drawn, copies, written]) => [...drawn, { write: { object: written, copies } }, ...requests]);
