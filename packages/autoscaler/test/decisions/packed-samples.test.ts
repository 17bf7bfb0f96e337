import type { MetricSamples } from "@plimsoll/core";
import { expect, test } from "vitest";
import { packSamples, unpackSamples } from "../../src/decisions/packed-samples.ts";

const names = Array.from({ length: 15 }, (_, n) => `web-7f9c4d5b6-${n}`);
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
  ["timestamps that differ", with15((n) => ({ timestamp: `2026-11-22T10:00:${10 + (n >> 1)}Z` }))],
  ["windows that differ", with15((n) => ({ windowSeconds: n === 3 ? undefined : 10 + n / 8 }))],
  ["windows of zero and minus zero", with15((n) => ({ windowSeconds: n % 2 === 0 ? 0 : -0 }))],
  ["windows that are no number", with15(() => ({ windowSeconds: null }))],
  ["no timestamps", { pods: usual.map(({ name, containers }) => ({ name, containers })) }],
  ["two containers", with15((n) => ({ containers: { main: usage(n), proxy: { cpu: "1m" } } }))],
  ["a container with the name of a prototype", with15(() => ({ containers: proto as Containers }))],
  ["no containers", with15(() => ({ containers: {} }))],
  ["values of a custom metric", { pods: names.map((name, n) => ({ name, timestamp, value: `${n}` })) }],
])("%s are read back as they were, and kept as text", (_, samples) => {
  const packed = packSamples(samples);
  expect(packed).toHaveProperty("cells");
  const unpacked = unpackSamples(packed);
  expect(JSON.stringify(unpacked)).toBe(JSON.stringify(samples));
  // Unlike JSON, a record distinguishes minus zero.
  expect(unpacked).toEqual(samples);
});

test.each<readonly [string, MetricSamples]>([
  ["no pods", { pods: [] }],
  ["a failed call", { error: "down" }],
  ["an external metric", { values: [{ value: "1", timestamp }] }],
  ["one sample with another container", with15((n) => ({ containers: { [n === 7 ? "b" : "a"]: usage(n) } }))],
  ["a container without usage", with15((n) => ({ containers: { main: usage(n), proxy: {} } }))],
  ["one sample without a timestamp", with15((n) => ({ timestamp: n === 7 ? undefined : timestamp }))],
  ["a date", with15(() => ({ timestamp: new Date(0) }))],
  ["a value that is not a string", with15(() => ({ containers: { main: { cpu: 1 as never } } }))],
  ["a separator in a value", with15(() => ({ containers: { main: { cpu: "1\n" } } }))],
  ["an empty name", with15((n) => ({ name: n === 7 ? "" : `web-${n}` }))],
  ["usage and a value at once", with15(() => ({ value: "1" }))],
])("%s: samples of an unusual form are kept as they are", (_, samples) => {
  expect(packSamples(samples)).toBe(samples);
  expect(unpackSamples(samples)).toBe(samples);
});

test("the usage of 15 pods takes a few hundred characters", () => {
  expect(JSON.stringify(packSamples({ pods: usual })).length).toBeLessThan(700);
});

type Containers = Readonly<Record<string, Readonly<Record<string, string>>>>;
