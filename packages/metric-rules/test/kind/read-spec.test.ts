import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { projectRule } from "../../src/kind/project.ts";
import { readSpec } from "../../src/kind/read-spec.ts";
import { metricRuleCrd } from "../../src/testing/index.ts";
import { rawRule } from "../rules.ts";

const read = (spec: object) => readSpec(rawRule("packets", spec));
const problems = (spec: object): readonly string[] => {
  const result = read(spec);
  return result.ok ? [] : result.problems;
};

test("fields that are left out have their defaults", () => {
  expect(read({ type: "Pods", query: "up" })).toEqual({
    ok: true,
    spec: { type: "Pods", metric: "packets", source: "default", label: "pod", query: "up" },
  });
  expect(
    read({
      type: "Object",
      metric: "hits",
      object: { resource: "ingresses.networking.k8s.io", label: "ingress" },
      source: "team",
      query: "up",
    }),
  ).toEqual({
    ok: true,
    spec: {
      type: "Object",
      metric: "hits",
      source: "team",
      resource: "ingresses.networking.k8s.io",
      label: "ingress",
      query: "up",
    },
  });
});

test("every problem names the field, the value and the remedy", () => {
  expect(problems({})).toEqual(["spec.type: is missing", "spec.query: is missing"]);
  expect(problems({ type: "Pod", metric: "a/b", source: "A", query: 1, extra: true })).toEqual([
    'spec.type: "Pod" is unknown: use Pods, Object, External',
    'spec.metric: "a/b" cannot be used: use letters, digits, underscores, dots, colons and dashes, such as requests-per-second',
    'spec.source: "A" cannot be used: use the name of a source of the adapter\'s configuration, or leave it out',
    'spec.query: "1" is not a string',
    'spec: "extra" is not a field; use one of type, metric, object, podLabel, source, query, live',
  ]);
  expect(problems({ type: "External", podLabel: "pod", object: {}, query: "up" })).toEqual([
    'spec.podLabel: "pod" has no meaning with type External: remove it',
    'spec.object: "{}" has no meaning with type External: remove it',
  ]);
  expect(problems({ type: "Object", query: "up" })).toEqual([
    "spec.object: is missing; type Object needs object.resource and object.label, such as ingresses.networking.k8s.io and ingress",
  ]);
  expect(problems({ type: "Object", query: " ", object: { resource: "Ingress", label: "" } })).toEqual([
    "spec.query: is empty",
    'spec.object.resource: "Ingress" cannot be used: use the plural and the group, such as ingresses.networking.k8s.io',
    "spec.object.label: is empty",
  ]);
  expect(problems({ type: "Pods", query: "x".repeat(4_097) })).toEqual([
    "spec.query: has 4097 characters; at most 4096 are allowed: shorten it",
  ]);
});

test("whatever an object has, reading it ends, and what is kept of it is small", () => {
  assertProperty(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
      const object = { ...rawRule("packets", {}), spec, status };
      const { read: result, status: kept } = projectRule(object);
      expect(result.ok || result.problems.every((problem) => problem.length < 400)).toBe(true);
      expect(kept?.conditions.length ?? 0).toBeLessThanOrEqual(10);
    }),
    { numRuns: 5_000 },
  );
});

test("the names that the definition lets in are those that are read", () => {
  const [{ schema }] = metricRuleCrd.spec.versions;
  const spec = schema.openAPIV3Schema.properties.spec as unknown as {
    readonly properties: Readonly<Record<"metric" | "source", { readonly pattern: string }>>;
  };
  const patterns = (["metric", "source"] as const).map(
    (name) => [name, new RegExp(spec.properties[name].pattern)] as const,
  );
  assertProperty(
    fc.property(fc.stringMatching(/^[ -~]{1,8}$/), (value) => {
      for (const [name, pattern] of patterns)
        expect(read({ type: "Pods", query: "up", [name]: value }).ok).toBe(pattern.test(value));
    }),
    { numRuns: 5_000 },
  );
});
