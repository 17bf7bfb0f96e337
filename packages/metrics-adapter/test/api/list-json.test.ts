import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { customMetrics } from "../../src/api/custom.ts";
import { parseRequestInfo } from "../../src/api/request-info.ts";
import { resourceMetrics } from "../../src/api/resource.ts";
import type { CustomMetricValue } from "../../src/backends/prometheus/providers/custom-api.ts";
import type { PodMetrics } from "../../src/backends/prometheus/providers/resource-api.ts";

// Any text: what is written by hand must be escaped as carefully as what is not.
const text = fc.string({ unit: "binary" });
const seconds = fc.option(fc.double({ min: 0.6, max: 1e6, noNaN: true }), { nil: undefined });
const atMs = fc.integer({ min: 0, max: 4e12 });

const value: fc.Arbitrary<CustomMetricValue> = fc.record({
  kind: text,
  apiVersion: text,
  namespace: fc.option(text, { nil: undefined }),
  name: text,
  metric: text,
  value: text,
  atMs,
  windowSeconds: seconds,
  selector: fc.option(fc.record({ matchLabels: fc.dictionary(text, text) }), { nil: undefined }),
  query: fc.option(text, { nil: undefined }),
});

const pod: fc.Arbitrary<PodMetrics> = fc.record({
  name: text,
  namespace: text,
  labels: fc.dictionary(text, text),
  atMs,
  windowSeconds: fc.integer({ min: 0, max: 100_000 }),
  containers: fc.array(fc.record({ name: text, usage: fc.record({ cpu: text, memory: text }) })),
});

function infoOf(path: string) {
  const parsed = parseRequestInfo("GET", path);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.info;
}

const signal = () => new AbortController().signal;
const many = { maxLength: 5 };

test("a list of custom metrics is the same text whether it is written at once or as an object", async () => {
  const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/m";
  await assertProperty(
    fc.asyncProperty(fc.array(value, many), async (values) => {
      const listed = values.map(({ name, value, atMs }) => ({ ...values[0], name, value, atMs }));
      const provider = { list: () => [], get: async () => ({ ok: true, value: listed }) as never };
      const reply = await customMetrics(provider, "v1beta2", infoOf(path), signal);
      if (reply.type !== "metrics") throw new Error(reply.type);
      expect(reply.json?.()).toBe(JSON.stringify(reply.object()));
    }),
  );
});

test("so is a list of pods' usage", async () => {
  const info = infoOf("/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods");
  await assertProperty(
    fc.asyncProperty(fc.array(pod, many), async (pods) => {
      const provider = {
        pods: async () => ({ ok: true, value: pods }) as const,
        nodes: async () => ({ ok: true, value: [] }) as const,
      };
      const reply = await resourceMetrics({ provider, nowMs: () => 1_700_000_000_000 }, info, signal);
      if (reply.type !== "metrics") throw new Error(reply.type);
      expect(reply.json?.()).toBe(JSON.stringify(reply.object()));
    }),
  );
});
