// What comes as protobuf gives the same as its JSON.
import { parseSelector } from "@plimsoll/core/selector";
import { ProtobufError } from "@plimsoll/kube/protobuf";
import { writeEnvelope, writeList, writePodMetrics } from "@plimsoll/kube/protobuf/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchCall } from "../../src/metrics/namespace-batch.ts";
import { resourceCall } from "../../src/metrics/resource.ts";

const name = fc.oneof(
  fc.constantFrom("main", "sidecar", "__proto__", "größe"),
  fc.string({ minLength: 1, maxLength: 70 }),
);
const quantity = fc.oneof(
  fc.constantFrom(
    "100m",
    "76397251n",
    "445299Ki",
    "0",
    "1.5",
    "-3",
    "1e3",
    "",
    "NaN",
    "1Zi",
    "9".repeat(200),
  ),
  fc.nat().map((n) => `${n}n`),
);
const usage = fc.dictionary(fc.oneof(fc.constantFrom("cpu", "memory"), name), quantity, {
  maxKeys: 3,
  noNullPrototype: true,
});
/** Whole seconds, as Go writes a Time; some pods have none. */
const timestamp = fc.option(
  fc.integer({ min: 0, max: 4_000_000_000 }).map((s) => new Date(s * 1000).toISOString().replace(".000", "")),
  { nil: undefined },
);
const item = fc.record({
  metadata: fc.record(
    {
      name: fc.oneof({ arbitrary: name, weight: 9 }, fc.constant("")),
      namespace: fc.constantFrom("default", "default", "elsewhere", ""),
      labels: fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("a", "b", ""), {
        minKeys: 1,
        noNullPrototype: true,
      }),
    },
    { requiredKeys: ["name"] },
  ),
  timestamp,
  windowNs: fc.oneof(
    fc.constantFrom(0, 15e9, 30e9, 15_342_000_000, 90_500_000_000, 250_123_000, 1_500, 7),
    fc.integer({ min: 0, max: 4e12 }),
  ),
  containers: fc.uniqueArray(fc.record({ name, usage }), {
    selector: (container) => container.name,
    maxLength: 3,
  }),
});

type Item = (typeof item extends fc.Arbitrary<infer T> ? T : never) & object;

/** The same list as a server sends it in JSON, and in protobuf. */
function bothOf(items: readonly Item[]): { readonly json: unknown; readonly protobuf: Buffer } {
  const json = items.map(({ windowNs, metadata, ...rest }) => ({
    ...rest,
    metadata: withoutEmpty(metadata),
    // Go writes a Time that is not set as null.
    timestamp: rest.timestamp ?? null,
    window: durationText(windowNs),
  }));
  const written = items.map((each) => writePodMetrics(each, each.windowNs));
  const type = { apiVersion: "metrics.k8s.io/v1beta1", kind: "PodMetricsList" };
  return {
    json: { kind: type.kind, apiVersion: type.apiVersion, metadata: {}, items: json },
    protobuf: writeEnvelope(type, writeList(written, "")),
  };
}

/** As Go prints it, with zeros behind the point. */
function durationText(ns: number): string {
  const [unit, unitNs, digits] =
    ns >= 1e9 ? (["s", 1e9, 9] as const) : ns >= 1e6 ? (["ms", 1e6, 6] as const) : (["ns", 1, 0] as const);
  const fraction = digits === 0 ? "" : `.${String(ns % unitNs).padStart(digits, "0")}`;
  return `${Math.trunc(ns / unitNs)}${fraction}${unit}`;
}

function withoutEmpty(metadata: Item["metadata"]): object {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ""));
}

test("usage in protobuf gives the samples that its JSON gives", () => {
  assertProperty(
    fc.property(fc.array(item, { maxLength: 6 }), (items) => {
      const { json, protobuf } = bothOf(items);
      const call = resourceCall("default", "app=a");
      expect(call.readProtobuf?.(protobuf)).toStrictEqual(call.read(json));
    }),
    { numRuns: 3_000 },
  );
});

test("a batch in protobuf is split by selectors as its JSON is", () => {
  const selectors = ["app=a", "app in (a,b),tier", "tier!=b", "app=", "!app"].map(parseSelector);
  assertProperty(
    fc.property(fc.array(item, { maxLength: 6 }), (items) => {
      const { json, protobuf } = bothOf(items);
      const call = batchCall("default");
      const [fromJson, fromProtobuf] = [call.read(json), call.readProtobuf?.(protobuf)];
      expect(fromProtobuf?.hasLabels).toBe(fromJson.hasLabels);
      for (const selector of selectors)
        expect(fromProtobuf?.select(selector)).toStrictEqual(fromJson.select(selector));
    }),
    { numRuns: 2_000 },
  );
});

test("a window of any length is the same number of seconds as its text", () => {
  const windows = (json: unknown, protobuf: Buffer) => {
    const call = resourceCall("default", "");
    return [call.read(json), call.readProtobuf?.(protobuf)].map((read) =>
      read?.pods?.map((pod) => "windowSeconds" in pod && pod.windowSeconds),
    );
  };
  assertProperty(
    fc.property(fc.integer({ min: 0, max: 1e15 }), (ns) => {
      const { json, protobuf } = bothOf([
        { metadata: { name: "a" }, timestamp: undefined, windowNs: ns, containers: [] },
      ]);
      const [one, other] = windows(json, protobuf);
      expect(other).toEqual(one);
    }),
    { numRuns: 3_000 },
  );
});

test("what is not a list of usage is refused with the reason", () => {
  const bytes = writeEnvelope({ apiVersion: "v1", kind: "Status" }, []);
  expect(() => batchCall("default").readProtobuf?.(bytes)).toThrow(ProtobufError);
  expect(() => batchCall("default").readProtobuf?.(bytes)).toThrow(
    '"v1 Status" in place of "metrics.k8s.io/v1beta1 PodMetricsList"',
  );
});
