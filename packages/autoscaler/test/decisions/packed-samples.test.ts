import type { MetricSamples, Pod } from "@plimsoll/core";
import { expect, test } from "vitest";
import { packSamples, unpackSamples } from "../../src/decisions/packed-samples.ts";

const names = Array.from({ length: 15 }, (_, n) => `web-7f9c4d5b6-${n}`);
const pods: readonly Pod[] = names.map((name) => ({ metadata: { name } }));
const timestamp = "2026-11-22T10:00:00Z";
const usage = (n: number) => ({ cpu: `${n}m`, memory: "32Mi" });
const usual = names.map((name, n) => ({
  name,
  timestamp,
  windowSeconds: 30,
  containers: { main: usage(n) },
}));

/** Their pods, once more with another field. */
function with15(fields: (n: number) => object): MetricSamples {
  return { pods: usual.map((sample, n) => ({ ...sample, ...fields(n) })) };
}

const proto: unknown = JSON.parse('{"__proto__":{"cpu":"1m","__proto__":"2m"}}');

test.each<readonly [string, MetricSamples]>([
  ["the usage of 15 pods", { pods: usual }],
  ["other names than those of the pods", with15((n) => ({ name: `other-${n}` }))],
  ["the pods in another order", { pods: usual.toReversed() }],
  ["more samples than pods", { pods: [...usual, ...with15Named("extra")] }],
  ["timestamps that differ", with15((n) => ({ timestamp: `2026-11-22T10:00:${10 + (n >> 1)}Z` }))],
  ["windows that differ", with15((n) => ({ windowSeconds: n === 3 ? undefined : 10 + n / 8 }))],
  ["no timestamps", { pods: usual.map(({ name, containers }) => ({ name, containers })) }],
  ["two containers", with15((n) => ({ containers: { main: usage(n), proxy: { cpu: "1m" } } }))],
  ["a container with the name of a prototype", with15(() => ({ containers: proto as Containers }))],
  ["no containers", with15(() => ({ containers: {} }))],
  ["values of a custom metric", { pods: names.map((name, n) => ({ name, timestamp, value: `${n}` })) }],
])("%s are read back as they were, and kept as text", (_, samples) => {
  const packed = packSamples(samples, pods);
  expect(packed).toHaveProperty("cells");
  expect(JSON.stringify(unpackSamples(packed, pods))).toBe(JSON.stringify(samples));
});

test.each<readonly [string, MetricSamples]>([
  ["no pods", { pods: [] }],
  ["a failed call", { error: "down" }],
  ["an external metric", { values: [{ value: "1", timestamp }] }],
  ["one sample with another container", with15((n) => ({ containers: { [n === 7 ? "b" : "a"]: usage(n) } }))],
  ["a container without usage", with15((n) => ({ containers: { main: usage(n), proxy: {} } }))],
  ["one sample without a timestamp", with15((n) => ({ timestamp: n === 7 ? undefined : timestamp }))],
  ["a date", with15(() => ({ timestamp: new Date(0) }))],
  ["a value that is no text", with15(() => ({ containers: { main: { cpu: 1 as never } } }))],
  ["a separator in a value", with15(() => ({ containers: { main: { cpu: "1\n" } } }))],
  ["an empty name", with15((n) => ({ name: n === 7 ? "" : `web-${n}` }))],
  ["usage and a value at once", with15(() => ({ value: "1" }))],
])("%s: samples of an unusual form are kept as they are", (_, samples) => {
  expect(packSamples(samples, pods)).toBe(samples);
  expect(unpackSamples(samples, pods)).toBe(samples);
});

test("the usage of 15 pods takes a few hundred characters", () => {
  expect(JSON.stringify(packSamples({ pods: usual }, pods)).length).toBeLessThan(400);
});

type Containers = Readonly<Record<string, Readonly<Record<string, string>>>>;

function with15Named(prefix: string) {
  return usual.map((sample, n) => ({ ...sample, name: `${prefix}-${n}` }));
}
