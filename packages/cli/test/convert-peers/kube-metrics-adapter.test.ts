import { expect, test } from "vitest";
import { convertAll, external, hpa, query, schedule, scheduled } from "./peer-hpa.ts";
import { type Fields, paths, specOf } from "./rig.ts";

test("a query of an annotation becomes a rule; the metric and its target stay", async () => {
  const annotations = { team: "a", [`${query}/query`]: "scalar(sum(rate(events[1m])))\n" };
  const converted = await convertAll(hpa([external("events")], annotations));
  expect(converted.objects[0]?.["metadata"]).toHaveProperty("annotations", { team: "a" });
  expect(specOf(converted)["metrics"]).toEqual([
    {
      type: "External",
      external: {
        metric: { name: "web.myapp.events" },
        target: { type: "AverageValue", averageValue: "10" },
      },
    },
  ]);
  expect(converted.rules).toEqual([
    {
      seriesQuery: "up",
      resources: { namespaced: false },
      name: { as: "web.myapp.events" },
      metricsQuery: "scalar(sum(rate(events[1m])))",
    },
  ]);
  expect(converted.notes).toEqual([]);
});

test("the old ways: a name of the query in a label, an Object metric of no object, per replica", async () => {
  const byName = await convertAll(
    hpa(
      [
        external("prometheus-query", {
          metric: { name: "prometheus-query", selector: { matchLabels: { "query-name": "events" } } },
        }),
      ],
      { "metric-config.external.prometheus-query.prometheus/events": "sum(events)" },
    ),
  );
  expect(byName.rules).toMatchObject([{ name: { as: "web.myapp.events" }, metricsQuery: "sum(events)" }]);
  const object = {
    type: "Object",
    object: {
      describedObject: { apiVersion: "v1", kind: "Pod", name: "dummy-pod" },
      metric: { name: "events" },
      target: { type: "Value", value: "10" },
    },
  };
  const ofObject = "metric-config.object.events.prometheus";
  const plain = await convertAll(hpa([object], { [`${ofObject}/query`]: "sum(events)" }));
  expect(specOf(plain)["metrics"]).toMatchObject([
    { type: "External", external: { target: { value: "10" } } },
  ]);
  const perReplica = await convertAll(
    hpa([object], { [`${ofObject}/query`]: "sum(events)", [`${ofObject}/per-replica`]: "true" }),
  );
  expect(specOf(perReplica)["metrics"]).toMatchObject([
    { external: { target: { type: "AverageValue", averageValue: "10" } } },
  ]);
  expect(paths(perReplica.notes)).toEqual(["spec.metrics[0].object"]);
});

test("servers of annotations are sources; the adapter's own needs none", async () => {
  const of = (name: string) => `metric-config.external.${name}.prometheus`;
  const { rules, sources, notes } = await convertAll(
    hpa([external("a"), external("b"), external("c")], {
      [`${of("a")}/query`]: "sum(a)",
      [`${of("b")}/query`]: "sum(b)",
      [`${of("b")}/prometheus-server`]: "http://prometheus.b.svc",
      [`${of("c")}/query`]: "sum(c)",
      [`${of("c")}/prometheus-server-alias`]: "central",
    }),
  );
  expect(rules.map(({ source }) => source)).toEqual([undefined, "prometheus-b-svc", "central"]);
  expect(sources).toEqual([{ name: "prometheus-b-svc", url: "http://prometheus.b.svc" }]);
  expect(paths(notes)).toEqual([`metadata.annotations["${of("c")}/prometheus-server-alias"]`]);
});

test("the query of an Object metric goes to the adapter's own server, whatever the annotations say", async () => {
  const at = "metric-config.object.events.prometheus";
  const object = {
    type: "Object",
    object: {
      describedObject: { apiVersion: "v1", kind: "Pod", name: "any" },
      metric: { name: "events" },
      target: { type: "Value", value: "10" },
    },
  };
  const annotations = { [`${at}/query`]: "sum(a)", [`${at}/prometheus-server`]: "http://u:p@other:9090" };
  const converted = await convertAll(hpa([object], annotations));
  expect(converted.notes[0]?.message).toContain("External metrics only");
  expect(paths(converted.notes)).toEqual([
    `metadata.annotations["${at}/prometheus-server"]`,
    "spec.metrics[0].object",
  ]);
  expect(JSON.stringify(converted)).not.toContain("u:p");
});

test.each<[name: string, metrics: readonly object[], annotations: Fields, path: string]>([
  [
    "the interval",
    [external("events")],
    { [`${query}/query`]: "sum(a)", [`${query}/interval`]: "30s" },
    `metadata.annotations["${query}/interval"]`,
  ],
  [
    "an unknown setting",
    [external("events")],
    { [`${query}/query`]: "sum(a)", [`${query}/x`]: "30s" },
    `metadata.annotations["${query}/x"]`,
  ],
  [
    "json-path of pods",
    [
      {
        type: "Pods",
        pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "1k" } },
      },
    ],
    { "metric-config.pods.rps.json-path/json-key": "$.rps" },
    "spec.metrics[0].pods.metric.name",
  ],
  [
    "json-path of an address",
    [external("a", { metric: { name: "a", selector: { matchLabels: { type: "json-path" } } } })],
    { "metric-config.external.a.json-path/endpoint": "http://a" },
    "spec.metrics[0].external.metric.name",
  ],
  [
    "a queue of AWS",
    [external("q", { metric: { name: "q", selector: { matchLabels: { type: "sqs-queue-length" } } } })],
    {},
    "spec.metrics[0].external.metric.name",
  ],
  [
    "requests of a RouteGroup",
    [
      {
        type: "Object",
        object: {
          describedObject: { apiVersion: "zalando.org/v1", kind: "RouteGroup", name: "a" },
          metric: { name: "requests-per-second" },
          target: { type: "AverageValue", averageValue: "10" },
        },
      },
    ],
    {},
    "spec.metrics[0].object.metric.name",
  ],
  ["annotations of no metric", [], { [`${query}/query`]: "sum(a)" }, "metadata.annotations"],
  [
    "a name with dots",
    [],
    { "metric-config.external.a.b.prometheus/query": "sum(a)" },
    'metadata.annotations["metric-config.external.a.b.prometheus/query"]',
  ],
])("%s is named, and stops nothing", async (_, metrics, annotations, path) => {
  const converted = await convertAll(hpa(metrics, annotations));
  expect(converted.problems).toEqual([]);
  expect(paths(converted.notes)).toEqual([path]);
});

test.each<[name: string, objects: readonly object[], path: string]>([
  ["no query", [hpa([external("events")])], "spec.metrics[0].external.metric.name"],
  [
    "no PromQL",
    [hpa([external("events")], { [`${query}/query`]: "sum(" })],
    `metadata.annotations["${query}/query"]`,
  ],
  [
    "no address",
    [hpa([external("events")], { [`${query}/query`]: "up", [`${query}/prometheus-server`]: "a:9090" })],
    `metadata.annotations["${query}/prometheus-server"]`,
  ],
  [
    "only a schedule of 0",
    [
      hpa([scheduled("sale")]),
      schedule([
        { type: "Repeating", value: 0, durationMinutes: 60, period: { startTime: "08:00", days: ["Mon"] } },
      ]),
    ],
    "spec.metrics",
  ],
  ["a schedule that is not there", [hpa([scheduled("sale")])], "spec.metrics[0].object.describedObject.name"],
  [
    "a schedule with a Value",
    [hpa([scheduled("sale", { type: "Value", value: "10" })]), schedule([])],
    "spec.metrics[0].object.target",
  ],
  [
    "a wrong time",
    [schedule([{ type: "Repeating", value: 1, period: { startTime: "25:00", days: ["Mon"] } }])],
    "spec.schedules[0].period.startTime",
  ],
  [
    "no days",
    [schedule([{ type: "Repeating", value: 1, period: { startTime: "08:00", days: [] } }])],
    "spec.schedules[0].period.days",
  ],
  ["a wrong date", [schedule([{ type: "OneTime", value: 1, date: "tomorrow" }])], "spec.schedules[0].date"],
  ["another type", [schedule([{ type: "Daily", value: 1 }])], "spec.schedules[0].type"],
  ["no value", [schedule([{ type: "Daily" }])], "spec.schedules[0].value"],
])("%s is a problem", async (_, objects, path) => {
  const { code, objects: written, problems } = await convertAll(...objects);
  expect([code, written]).toEqual([1, []]);
  expect(paths(problems)).toContain(path);
});

test.each([
  ["Ingress", "requests-per-second", 1],
  ["Ingress", "requests-per-second,blue", 1],
  ["RouteGroup", "requests-per-second", 1],
  ["Ingress", "hits", 0],
  ["Service", "requests-per-second", 0],
])("a metric of %s %s is named as Skipper's: %i", async (kind, name, count) => {
  const describedObject = { apiVersion: "networking.k8s.io/v1", kind, name: "myapp" };
  const target = { type: "AverageValue", averageValue: "10" };
  const metric = { name, selector: { matchLabels: { backend: "blue" } } };
  const { objects, notes } = await convertAll(
    hpa([{ type: "Object", object: { describedObject, metric, target } }]),
  );
  expect(objects).toHaveLength(1);
  expect(notes.map(({ value, message }) => [value, message.includes("skipper")])).toEqual(
    Array.from({ length: count }, () => [name, true]),
  );
});
