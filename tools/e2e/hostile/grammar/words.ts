import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { PrometheusFault } from "../attack.ts";

/** Texts that programs take for something else, and long ones. */
export const nastyName: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then", "length"),
  fc.constantFrom("hostile_load", "victim_load", "queue_depth", "cpu", "*", "..", "hostile_{i}"),
  fc.constantFrom(
    "ünïcödé",
    "ﷺ",
    "\u202egnp.exe",
    "a b",
    "a\nb",
    "a\u0000b",
    "'\"`;--",
    "${x}",
    "{{x}}",
    "%00",
    "%",
  ),
  fc.string({ maxLength: 20, unit: "binary" }),
  repeated(fc.constantFrom("x", "é", "a.", "-", "(", "[a]*"), 5000),
);

/** Metrics of the tenant, and what Prometheus makes of queries of them. */
export const spoiled = {
  hostile_hang: "hangs",
  hostile_slow: "timeout",
  hostile_long: "long-error",
  hostile_deep: "nested-type",
  hostile_fat: "fat-labels",
  hostile_endless: "endless",
  hostile_drip: "slow",
  hostile_cut: "cuts-off",
  hostile_moved: "redirects",
  hostile_echo: "echoes-credentials",
  hostile_kept: "keeps-running",
} as const satisfies Readonly<Record<string, PrometheusFault>>;

/** One of them, or one that Prometheus has as it is. */
export const hostileMetric = fc.constantFrom("hostile_load", "hostile_wide", ...Object.keys(spoiled));

/** A label as Kubernetes lets one in. */
export const labelName = fc.constantFrom("app", "n", "__proto__", "constructor", "a.example/b", "toString");

export const int32 = fc.oneof(
  fc.constantFrom(1, 2, 10, 2_147_483_647),
  fc.integer({ min: 1, max: 2_147_483_647 }),
);

export const quantity = fc.oneof(
  fc.constantFrom("1", "1n", "9223372036854775807", "1e18", "0.000000001", "1Ei", "1m"),
  fc.integer({ min: 1, max: 1_000_000 }).map(String),
);

/** A text that is long in the cluster and short in a file. */
export function repeated(what: Arbitrary<unknown>, atMost: number, join = ""): Arbitrary<unknown> {
  return fc.record({ $repeat: what, times: fc.integer({ min: 1, max: atMost }), join: fc.constant(join) });
}

export function listOf(what: Arbitrary<unknown>, atMost: number): Arbitrary<unknown> {
  return fc.record({ $list: what, times: fc.integer({ min: 1, max: atMost }) });
}

export function object(
  apiVersion: string,
  kind: string,
  spec: Arbitrary<unknown>,
  metadata: Arbitrary<object> = fc.constant({}),
): Arbitrary<unknown> {
  return fc.tuple(spec, metadata).map(([written, more]) => ({
    apiVersion,
    kind,
    metadata: { name: kind.toLowerCase(), ...more },
    spec: written,
  }));
}

export const target = fc.constantFrom(
  { apiVersion: "apps/v1", kind: "Deployment", name: "target" },
  { apiVersion: "apps/v1", kind: "Deployment", name: "target-that-is-not-there" },
  { apiVersion: "no.such/v1", kind: "Thing", name: "target" },
  { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "horizontalpodautoscaler-0-0-{n}" },
);

/** Metadata as large as one likes. */
export const metadata: Arbitrary<object> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      labels: fc.record({
        $map: fc.constant({ key: "label-{i}", value: "v{n}" }),
        times: fc.integer({ min: 1, max: 2000 }),
      }),
      annotations: fc.record({ note: repeated(fc.constant("x"), 200_000) }),
    }),
  },
);
