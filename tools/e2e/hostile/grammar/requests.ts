import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { Step } from "../attack.ts";
import { hostileMetric, repeated } from "./words.ts";

const groups = fc.constantFrom(
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/hostile/pods/*/",
  "/apis/custom.metrics.k8s.io/v1beta1/namespaces/hostile/metrics/",
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/hostile/pods/target-{n}/",
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/hostile/",
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/{n}/pods/*/",
);

const metric: Arbitrary<unknown> = fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>(
  {
    weight: 4,
    arbitrary: fc.oneof(hostileMetric, fc.constant("victim_load")),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>("__proto__", "constructor", "%00", "%2e%2e", "*", "hostile_{n}"),
  },
  { weight: 1, arbitrary: repeated(fc.constant("m{n}"), 8000) },
);

const requirement = fc.oneof(
  fc.constantFrom<unknown>(
    "a={n}",
    "made-up-{n}",
    "!__proto__",
    "n!={n}",
    "app+in+()",
    "=",
    "a=b=c",
    "%F0%9F%92%A9",
  ),
  fc.integer({ min: 100, max: 4000 }).map((times) => ({
    $text: ["a+in+(", { $repeat: "value-{i}-{n}", times, join: "," }, ")"],
  })),
  fc.integer({ min: 100, max: 4000 }).map((times) => ({ $repeat: "key-{i}-{n}", times, join: "," })),
  fc.integer({ min: 100, max: 4000 }).map((times) => ({ $repeat: "key{i}!={n}", times, join: "," })),
);

const query = fc.oneof(
  fc.constant({ $text: [""] }),
  requirement.map((text) => ({ $text: ["?labelSelector=", text] })),
  requirement.map((text) => ({ $text: ["?labelSelector=app%3Dtarget&metricLabelSelector=", text] })),
  requirement.map((text) => ({ $text: ["?fieldSelector=", text, "&limit=-1&continue=x"] })),
);

const metricPath = fc
  .tuple(groups, metric, query)
  .map(([group, name, rest]) => ({ $text: [group, name, rest] }));

const path: Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: metricPath },
  {
    weight: 1,
    arbitrary: query.map((rest) => ({
      $text: ["/apis/metrics.k8s.io/v1beta1/namespaces/hostile/pods", rest],
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>("/openapi/v2", "/openapi/v3", "/apis", "/metrics", "/{n}", {
      $repeat: "/x{n}",
      times: 9000,
    }),
  },
);

export const silent: Arbitrary<Step> = fc
  .record({
    connections: fc.constantFrom(128, 1000),
    to: fc.constantFrom("adapter" as const, "autoscaler" as const),
  })
  .map((drawn) => ({ silent: drawn }));

export const request: Arbitrary<Step> = fc
  .record({
    path,
    times: fc.constantFrom(50, 300),
    atOnce: fc.constantFrom(1, 4, 8),
    unknownUser: fc.constantFrom(false, false, false, true),
    to: fc.constantFrom("adapter", "adapter", "adapter", "autoscaler" as const),
  })
  .map((written) => ({ request: written as Step["request"] & object }));
