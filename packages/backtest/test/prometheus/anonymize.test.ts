// An anonymous recording has no text that anyone chose.
import { assertProperty } from "@plimsoll/properties";
import { readAutoscaler } from "@plimsoll/simulator";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRecordingReader, type Recording, recordingLines } from "../../src/index.ts";
import { anonymize } from "../../src/prometheus/index.ts";

test("of a query's text only which ones are the same stays in an anonymous recording", () => {
  const target = { type: "AverageValue", averageValue: "10" };
  const entry = (promql: string) => ({
    type: "Query",
    query: { promql, source: "secret-team", podLabel: "secret_label", target },
  });
  const object = {
    kind: "WorkloadAutoscaler",
    metadata: { name: "secret", namespace: "secret" },
    spec: {
      scaleTargetRef: { kind: "Deployment", name: "secret" },
      metrics: [entry("secret_total"), entry("other_secret"), entry("secret_total")],
    },
  };
  const { autoscaler } = anonymize({
    version: 1,
    target: { namespace: "secret", kind: "Deployment", name: "secret" },
    span: { fromMs: 0, toMs: 1 },
    autoscaler: { object, changes: [] },
    pods: [],
    metrics: [],
  } as object as Recording);
  expect(JSON.stringify(autoscaler)).not.toContain("secret");
  const query = { source: "source-1", podLabel: "pod", target };
  expect(autoscaler.object).toMatchObject({
    spec: {
      metrics: [
        { type: "Query", query: { ...query, promql: "query_1" } },
        { query: { promql: "query_2" } },
        { query: { promql: "query_1" } },
      ],
    },
  });
});

const calendar = [
  "BEGIN:VCALENDAR",
  "BEGIN:VEVENT",
  "SUMMARY:secret party",
  "DTSTART;VALUE=DATE:20261224",
  "END:VEVENT",
  "END:VCALENDAR",
].join("\r\n");

/** With each field that a recording may have. */
const full = {
  version: 1,
  target: { namespace: "shop", kind: "Rollout", name: "web" },
  span: { fromMs: 0, toMs: 60_000 },
  autoscaler: {
    object: {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "WorkloadAutoscaler",
      metadata: { namespace: "shop", name: "web", labels: { team: "blue" }, annotations: { note: "x" } },
      spec: {
        scaleTargetRef: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
          },
          {
            type: "ContainerResource",
            containerResource: {
              name: "nvidia.com/gpu",
              container: "app",
              target: { type: "AverageValue", averageValue: "500m" },
            },
          },
          {
            type: "Pods",
            pods: {
              metric: { name: "orders", selector: { matchLabels: { shop: "blue" } } },
              target: { type: "AverageValue", averageValue: "2k" },
            },
            onMetricFailure: { policy: "Assume", forSeconds: 60, value: "1" },
          },
          {
            type: "Object",
            object: {
              describedObject: { apiVersion: "example.org/v1", kind: "Shop", name: "main" },
              metric: { name: "orders" },
              target: { type: "Value", value: "100" },
            },
          },
          { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: 10 } } },
          {
            type: "Query",
            query: {
              promql: "sum(orders)",
              source: "blue",
              podLabel: "p",
              target: { type: "Value", value: "3" },
            },
          },
        ],
        schedules: [
          {
            name: "day",
            timeZone: "Europe/Berlin",
            start: "0 8 * * MON-FRI",
            end: "0 18 * * MON-FRI",
            minReplicas: 3,
            ramp: { over: "10m", steps: 5 },
            precedence: "Floor",
            exclusions: [
              { date: "2026-12-24" },
              { from: "2026-12-27", to: "2026-12-30" },
              { weekdays: ["Fri"] },
              { calendar },
              { calendarName: "holidays-of-blue" },
            ],
          },
        ],
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 60,
            selectPolicy: "Max",
            policies: [{ type: "Percent", value: 10, periodSeconds: 60 }],
            tolerance: "0.05",
          },
        },
        mode: "Active",
        pause: { reason: "blue asked for it", until: "2026-12-24T10:00:00Z" },
        tuning: { syncPeriodSeconds: 15, tolerance: "0.1" },
      },
      status: { conditions: [{ message: "blue" }] },
    },
    changes: [{ atMs: 1, earliestMs: 0, field: "target", metricIndex: 0, value: 50 }],
  },
  syncs: { atMs: [0, 15_000], clock: "known" },
  pods: [
    {
      name: "web-1",
      createdMs: 0,
      startedMs: 1,
      ready: [{ fromMs: 2 }],
      requests: { app: { cpu: "100m", "nvidia.com/gpu": "1" } },
      uncertaintyMs: 1000,
    },
  ],
  scale: [{ atMs: 0, earliestMs: 0, value: 1 }],
  metrics: [
    {
      index: 0,
      level: "series",
      samples: [{ atMs: 0, values: [{ pod: "web-1", value: 0.1, measuredMs: 0, windowMs: 15_000 }] }],
      gaps: [],
    },
  ],
  status: [{ atMs: 0, currentReplicas: 1, desiredReplicas: 1, values: [10, 1], scalingActive: true }],
};

test("names, kinds, calendars, and reasons are gone; times, numbers, and words of the API stay", () => {
  const anonymous = anonymize(full as unknown as Recording);
  const text = JSON.stringify(anonymous);
  expect(text).not.toMatch(
    /shop|web|blue|Rollout|argoproj|orders|nvidia|Shop|example\.org|secret|holidays|day"/,
  );
  expect(anonymous.pods[0]).toEqual({
    ...full.pods[0],
    name: "pod-1",
    requests: { "container-1": { cpu: "100m", "resource-1": "1" } },
  });
  expect([anonymous.scale, anonymous.status, anonymous.syncs]).toEqual([full.scale, full.status, full.syncs]);
  const { spec } = anonymous.autoscaler.object as typeof full.autoscaler.object;
  const schedule = full.autoscaler.object.spec.schedules[0];
  expect(spec.schedules).toEqual([
    {
      ...schedule,
      name: "schedule-1",
      exclusions: [
        ...(schedule?.exclusions.slice(0, 3) ?? []),
        { calendar: "calendar-1" },
        { calendarName: "calendar-2" },
      ],
    },
  ]);
  expect(spec.behavior).toEqual(full.autoscaler.object.spec.behavior);
  expect(spec.scaleTargetRef).toEqual({
    apiVersion: "group.example/v-1",
    kind: "kind-1",
    name: "workload",
  });
  expect(anonymous.target.kind).toBe("kind-1");
  // Read, it says the same as the other one.
  const read = [full.autoscaler.object, anonymous.autoscaler.object].map(
    (object) => readAutoscaler(object).ok,
  );
  expect(read[1]).toBe(read[0]);
  const reader = createRecordingReader();
  for (const line of recordingLines(anonymous)) reader.add(line.trimEnd());
  expect(reader.end()).toEqual(JSON.parse(JSON.stringify(anonymous)));
});

/** The same document with markers in place of some texts and keys, and with some fields that no schema has. */
function marked(value: unknown, draw: () => number, marker: () => string): unknown {
  if (typeof value === "string") return draw() < 0.7 ? marker() : value;
  if (typeof value === "number") return draw() < 0.1 ? marker() : value;
  if (Array.isArray(value)) return value.map((item) => marked(item, draw, marker));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    draw() < 0.05 ? marker() : key,
    draw() < 0.05 ? marker() : marked(inner, draw, marker),
  ]);
  if (draw() < 0.3) entries.push([marker(), marker()], ["note", { [marker()]: [marker()] }]);
  return Object.fromEntries(entries);
}

test("whatever text stands in whatever field, none of it is in an anonymous recording", () => {
  assertProperty(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (stream) => {
      const draw = (): number => stream.next().value ?? 0;
      let count = 0;
      const marker = (): string => `qzx${(count++).toString(36)}xzq`;
      const anonymous = anonymize(marked(full, draw, marker) as Recording);
      expect(count).toBeGreaterThan(0);
      expect(JSON.stringify(anonymous) ?? "").not.toContain("xzq");
    }),
    { numRuns: 2000 },
  );
});
