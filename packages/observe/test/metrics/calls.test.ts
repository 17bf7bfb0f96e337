import { expect, test } from "vitest";
import { externalCall, objectCall, podsCall } from "../../src/metrics/custom.ts";
import { resourceCall } from "../../src/metrics/resource.ts";
import { quantityOf } from "../../src/metrics/wire.ts";

const timestamp = "2026-01-01T00:00:00Z";
const query = { version: "v1beta2", namespace: "default", metric: "hits", metricSelector: "" };

test("resource metrics: path, selector, samples per container", () => {
  const call = resourceCall("default", "app=shop");
  expect(call.path).toBe("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods");
  expect(call.query).toEqual({ labelSelector: "app=shop" });
  expect(
    call.read({
      items: [
        {
          metadata: { name: "a", namespace: "default" },
          timestamp,
          window: "10.5s",
          containers: [{ name: "c", usage: { cpu: "250m", memory: "64Mi" } }],
        },
      ],
    }),
  ).toEqual({
    pods: [{ name: "a", timestamp, windowSeconds: 10.5, containers: { c: { cpu: "250m", memory: "64Mi" } } }],
  });
});

test("resource metrics: no quantity is no usage, and another namespace's pod is not taken", () => {
  const read = resourceCall("default", "").read({
    items: [
      { metadata: { name: "a" }, containers: [{ name: "c", usage: { cpu: "NaN", memory: null } }] },
      { metadata: { name: "b", namespace: "other" }, containers: [{ name: "c", usage: { cpu: "1" } }] },
      { metadata: {}, containers: [] },
    ],
  });
  expect(read).toEqual({ pods: [{ name: "a", containers: { c: {} } }] });
});

test("pods metrics: the star stays a star, both selectors go along, both spellings of the window are read", () => {
  const call = podsCall({ ...query, metricSelector: "verb=GET" }, "app=shop");
  expect(call.path).toBe("/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/hits");
  expect(call.query).toEqual({ labelSelector: "app=shop", metricLabelSelector: "verb=GET" });
  expect(
    call.read({
      items: [
        {
          describedObject: { name: "a", namespace: "default" },
          timestamp,
          windowSeconds: 30,
          value: "1500m",
        },
        { describedObject: { name: "b" }, timestamp: null, window: 60, value: "2" },
        { describedObject: { name: "c" }, timestamp, value: "1k" },
      ],
    }),
  ).toEqual({
    pods: [
      { name: "a", timestamp, windowSeconds: 30, value: "1500m" },
      { name: "b", windowSeconds: 60, value: "2" },
      { name: "c", timestamp, value: "1k" },
    ],
  });
});

test.each(["NaN", "+Inf", "-Inf", "", null, undefined, {}, "1 000", "0x10"])(
  "pods metrics: value %j makes the pod missing, not zero",
  (value) => {
    expect(podsCall(query, "").read({ items: [{ describedObject: { name: "a" }, value }] })).toEqual({
      pods: [],
    });
  },
);

test("object metrics: one item, or an error that says how many", () => {
  const call = objectCall(query, { groupResource: "ingresses.networking.k8s.io", name: "main route" });
  expect(call.path).toBe(
    "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/ingresses.networking.k8s.io/main%20route/hits",
  );
  expect(call.read({ items: [{ value: "2k", timestamp }] })).toEqual({ value: "2k", timestamp });
  expect(() => call.read({ items: [] })).toThrow(
    "the custom metrics API server returned 0 results when we asked for exactly one",
  );
  expect(() => call.read({ items: [{ value: "1" }, { value: "2" }] })).toThrow("returned 2 results");
  expect(() => call.read({ items: [{ value: "NaN" }] })).toThrow(
    'the value of metric hits is not a quantity: "NaN"',
  );
});

test("the namespace itself has a path of its own", () => {
  expect(objectCall(query, undefined).path).toBe(
    "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/metrics/hits",
  );
});

test("external metrics: all series in order; one that is not a quantity refuses the response", () => {
  const call = externalCall({ namespace: "default", metric: "queue/depth", metricSelector: "queue=a" });
  expect(call.path).toBe("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue%2Fdepth");
  expect(call.query).toEqual({ labelSelector: "queue=a" });
  expect(call.read({ items: [{ value: "3", timestamp }, { value: "-1" }] })).toEqual({
    values: [{ value: "3", timestamp }, { value: "-1" }],
  });
  expect(call.read({ items: [] })).toEqual({ values: [] });
  expect(() => call.read({ items: [{ value: "3" }, { value: "Infinity" }] })).toThrow("is not a quantity");
});

test.each([undefined, null, "text", [], { items: "no" }, { kind: "Status" }])(
  "a response that is not a list is an error: %j",
  (body) => {
    expect(() => externalCall({ namespace: "d", metric: "m", metricSelector: "" }).read(body)).toThrow(
      "not a list",
    );
  },
);

test.each(["0", "-5", "250m", "1.5", ".5", "5.", "64Mi", "1e3", "1E-2", "9223372036854775807", "3n", "+1"])(
  "%s is a quantity",
  (text) => {
    expect(quantityOf(text)).toBe(text);
  },
);

test("a bare number is a quantity too", () => {
  expect(quantityOf(5)).toBe("5");
  expect(quantityOf(Number.NaN)).toBeUndefined();
});
