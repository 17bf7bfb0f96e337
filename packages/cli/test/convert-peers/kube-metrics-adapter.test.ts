import { readSchedules, type ScheduleSpec, scheduleState, zoneOffset } from "@plimsoll/core/schedules";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { convert, type Fields, nowMs, paths, runConvert, specOf } from "./rig.ts";

const external = (name: string, fields: Fields = {}) => ({
  type: "External",
  external: {
    metric: { name, selector: { matchLabels: { type: "prometheus" } } },
    target: { type: "AverageValue", averageValue: "10" },
    ...fields,
  },
});
const scheduled = (name: string, target: Fields = { type: "AverageValue", averageValue: "10" }) => ({
  type: "Object",
  object: {
    describedObject: { apiVersion: "zalando.org/v1", kind: "ClusterScalingSchedule", name },
    metric: { name },
    target,
  },
});

const hpa = (metrics: readonly object[], annotations: Fields = {}) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "myapp", namespace: "web", annotations },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "myapp" },
    minReplicas: 1,
    maxReplicas: 20,
    metrics,
  },
});
const schedule = (schedules: readonly Fields[], spec: Fields = { scalingWindowDurationMinutes: 0 }) => ({
  apiVersion: "zalando.org/v1",
  kind: "ClusterScalingSchedule",
  metadata: { name: "sale" },
  spec: { ...spec, schedules },
});
const convertAll = (...objects: readonly object[]) =>
  convert(objects.map((object) => stringify(object)).join("---\n"));

const query = "metric-config.external.events.prometheus";

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

/** What kube-metrics-adapter's metric is at an instant, for a Repeating schedule without a window. */
function valueAt(atMs: number, { days, startTime, endTime, minutes, value }: Repeating): number {
  const date = new Date(atMs);
  const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  if (!days.includes(names[date.getUTCDay()] ?? "")) return 0;
  const of = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const start = of(startTime);
  const end = Math.max(endTime === undefined ? start : of(endTime), start + minutes);
  const now = date.getUTCHours() * 60 + date.getUTCMinutes();
  return now >= start && now < end ? value : 0;
}

interface Repeating {
  readonly days: readonly string[];
  readonly startTime: string;
  readonly endTime: string | undefined;
  readonly minutes: number;
  readonly value: number;
}

const time = fc
  .integer({ min: 0, max: 1439 })
  .map((at) => `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`);
const repeating: fc.Arbitrary<Repeating> = fc.record({
  days: fc.uniqueArray(fc.constantFrom("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"), { minLength: 1 }),
  startTime: time,
  endTime: fc.option(time, { nil: undefined }),
  minutes: fc.integer({ min: 0, max: 2000 }),
  value: fc.integer({ min: 1, max: 150 }),
});

test("repeating schedules are floors of the replicas that the metric proposes, at every time", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(repeating, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 40_320 }), { minLength: 20 }),
      async (entries, minutes) => {
        const schedules = entries.map(({ days, startTime, endTime, minutes: durationMinutes, value }) => ({
          type: "Repeating",
          durationMinutes,
          value,
          period: { startTime, days, timezone: "UTC", ...(endTime === undefined ? {} : { endTime }) },
        }));
        const converted = await convertAll(hpa([scheduled("sale")]), schedule(schedules));
        expect(converted.problems).toEqual([]);
        const written = (specOf(converted)["schedules"] ?? []) as readonly ScheduleSpec[];
        const read = readSchedules(written, {
          zone: zoneOffset,
          bounds: { minReplicas: 1, maxReplicas: 20 },
        });
        expect(read.problems).toEqual([]);
        const instants = minutes.map((at) => nowMs + at * 60_000);
        const wrong = instants.filter((atMs) => {
          const value = Math.max(0, ...entries.map((entry) => valueAt(atMs, entry)));
          return (scheduleState(read.schedules, atMs).floor ?? 0) !== Math.ceil(value / 10);
        });
        expect(wrong).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test("a date is one window, in its year alone; what is over is left out", async () => {
  const converted = await convertAll(
    hpa([scheduled("sale")]),
    schedule([
      { type: "OneTime", date: "2026-11-27T08:00:00+01:00", durationMinutes: 90, value: 100 },
      { type: "OneTime", date: "2028-02-29T08:00:00Z", endDate: "2028-02-29T20:00:00Z", value: 150 },
      { type: "OneTime", date: "2026-05-01T08:00:00Z", durationMinutes: 60, value: 100 },
    ]),
  );
  const written = specOf(converted)["schedules"] as readonly ScheduleSpec[];
  expect(written.map(({ name }) => name)).toEqual(["sale-0", "sale-1"]);
  const { schedules } = readSchedules(written, {
    zone: zoneOffset,
    bounds: { minReplicas: 1, maxReplicas: 20 },
  });
  const at = (text: string) => scheduleState(schedules, Date.parse(text)).floor;
  expect(
    ["2026-11-27T06:59:00Z", "2026-11-27T07:00:00Z", "2026-11-27T08:29:00Z", "2026-11-27T08:30:00Z"].map(at),
  ).toEqual([undefined, 10, 10, undefined]);
  expect(["2027-11-27T07:30:00Z", "2028-02-29T12:00:00Z", "2032-02-29T12:00:00Z"].map(at)).toEqual([
    undefined,
    15,
    undefined,
  ]);
  expect(paths(converted.notes)).toEqual(["spec.schedules[2]"]);
});

test("the window of a schedule, a missing zone, midnight and the maximum are named", async () => {
  const period = { startTime: "23:00", days: ["Mon"] };
  const converted = await convertAll(
    hpa([scheduled("sale")]),
    schedule([{ type: "Repeating", durationMinutes: 120, value: 300, period }], {}),
  );
  expect(specOf(converted)).toMatchObject({
    schedules: [{ timeZone: "Europe/Berlin", start: "0 23 * * MON", end: "0 0 * * *", minReplicas: 20 }],
  });
  expect(specOf(converted)).not.toHaveProperty("metrics");
  expect(paths(converted.notes)).toEqual([
    "spec.metrics[0].object.describedObject.name",
    "spec.scalingWindowDurationMinutes",
    "spec.schedules[0].period.timezone",
    "spec.schedules[0].period",
  ]);
});

test("comments of an HPA stay, and a schedule that no HPA reads is named", async () => {
  const text = `# The app.
${stringify(hpa([], { [`${query}/query`]: "sum(a)" })).replace(
  "metrics: []",
  `metrics:
    # Events of the last minute.
    - type: External
      external:
        metric: {name: events, selector: {matchLabels: {type: prometheus}}}
        target: {type: AverageValue, averageValue: 10} # each`,
)}---
${stringify(schedule([]))}`;
  const { out, errors } = await runConvert(text);
  expect(out).toMatch(/^# The app\.\n/);
  expect(out).toContain("# Events of the last minute.");
  expect(errors).toContain("ClusterScalingSchedule is read by no HorizontalPodAutoscaler of the files");
});
