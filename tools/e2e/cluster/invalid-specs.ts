// Specifications of WorkloadAutoscalers that the CRD refuses.
import {
  averageValue,
  cpu,
  external,
  type Fields,
  office,
  onFailure,
  policy,
  query,
  scaleTargetRef,
  withEntry,
  withMetric,
} from "./valid-specs.ts";

const withTarget = (target: unknown) => withMetric({ ...cpu, resource: { name: "cpu", target } });
const excluded = (exclusion: Fields) => withEntry({ exclusions: [exclusion] });
const wrongTarget = "must set exactly the field of its type";

export const invalid: readonly (readonly [title: string, spec: Fields, message: string])[] = [
  ["no limit", { maxReplicas: undefined }, "spec.maxReplicas: Required value"],
  ["a limit of zero", { maxReplicas: 0 }, "spec.maxReplicas in body should be greater than or equal to 1"],
  ["a limit without a value", { maxReplicas: null }, "spec.maxReplicas: Required value"],
  [
    "an entry of a list without a value",
    { metrics: [null] },
    'spec.metrics[0]: Invalid value: "null": spec.metrics[0] in body must be of type object: "null"',
  ],
  ["no target", { scaleTargetRef: undefined }, "spec.scaleTargetRef: Required value"],
  [
    "a target without a kind",
    { scaleTargetRef: { name: "shop" } },
    "spec.scaleTargetRef.kind: Required value",
  ],
  [
    "a target without a name",
    { scaleTargetRef: { ...scaleTargetRef, name: "" } },
    "spec.scaleTargetRef.name in body should be at least 1 chars long",
  ],
  [
    "a negative minimum",
    { minReplicas: -1 },
    "spec.minReplicas in body should be greater than or equal to 0",
  ],
  [
    "a minimum above the maximum",
    { minReplicas: 11 },
    "maxReplicas must be greater than or equal to minReplicas",
  ],
  ["zero replicas without metrics", { minReplicas: 0 }, "minReplicas 0 needs an Object or External metric"],
  [
    "zero replicas on cpu alone",
    { minReplicas: 0, ...withMetric(cpu) },
    "minReplicas 0 needs an Object or External metric",
  ],
  [
    "a metric of no type",
    withMetric({ external: external.external }),
    "spec.metrics[0].type: Required value",
  ],
  [
    "a metric of another type",
    withMetric({ ...cpu, type: "Cpu" }),
    'spec.metrics[0].type: Unsupported value: "Cpu"',
  ],
  ["a metric of two sources", withMetric({ ...cpu, ...external }), "must have exactly one source"],
  ["a metric of no source", withMetric({ type: "Pods" }), "must have exactly one source"],
  [
    "a source that is not the type's",
    withMetric({ ...cpu, type: "Pods" }),
    "must have the source that matches its type",
  ],
  ["a target without its value", withTarget({ type: "Utilization" }), wrongTarget],
  ["a target with another's value", withTarget({ type: "Utilization", averageValue: "1" }), wrongTarget],
  [
    "a target with two values",
    withTarget({ type: "AverageValue", averageValue: "1", averageUtilization: 50 }),
    wrongTarget,
  ],
  [
    "a target of a type that cpu has not",
    withTarget({ ...averageValue, type: "Value" }),
    'Unsupported value: "Value"',
  ],
  [
    "a quantity that is none",
    withTarget({ type: "AverageValue", averageValue: "a lot" }),
    "spec.metrics[0].resource.target.averageValue in body should match",
  ],
  [
    "a metric without a name",
    withMetric({ type: "Pods", pods: { metric: {}, target: averageValue } }),
    "spec.metrics[0].pods.metric.name: Required value",
  ],
  ["HoldLast without a time", onFailure({ policy: "HoldLast" }), "HoldLast needs forSeconds"],
  ["Assume without a value", onFailure({ policy: "Assume" }), "Assume needs value"],
  [
    "a negative time to wait",
    onFailure({ policy: "Ignore", afterSeconds: -1 }),
    "should be greater than or equal to 0",
  ],
  [
    "a scale-down by a policy that proposes nothing",
    onFailure({ policy: "HoldLast", forSeconds: 60, allowScaleDown: true }),
    "allowScaleDown applies to policy Fallback only",
  ],
  [
    "a wait before it blocks",
    onFailure({ policy: "Block", afterSeconds: 30 }),
    "afterSeconds doesn't apply to policy Block",
  ],
  ["Fallback without a floor", onFailure({ policy: "Fallback" }), "Fallback needs replicas"],
  [
    "a query without PromQL",
    withMetric({ type: "Query", query: { target: averageValue } }),
    "promql: Required value",
  ],
  [
    "a query without a target",
    withMetric({ type: "Query", query: { promql: "up" } }),
    "target: Required value",
  ],
  ["a query that is blank", withMetric(query({ promql: " " })), "promql must not be blank"],
  ["a query without end", withMetric(query({ promql: "x".repeat(4_097) })), "Too long"],
  ["a query for a source that is not a name", withMetric(query({ source: "Team A" })), "query.source"],
  [
    "a query of pods with a value",
    withMetric(query({ podLabel: "pod", target: { type: "Value", value: "1" } })),
    "a query with podLabel needs a target of type AverageValue",
  ],
  [
    "a query with the wrong field of a target",
    withMetric(query({ target: { type: "Value", averageValue: "1" } })),
    "must set exactly the field of its type: value for Value, averageValue for AverageValue",
  ],
  [
    "eleven queries",
    { metrics: Array.from({ length: 11 }, () => query()) },
    "at most 10 metrics may be queries: use MetricRules for more",
  ],
  [
    "zero replicas with a query of pods",
    { minReplicas: 0, ...withMetric(query({ podLabel: "pod" })) },
    "minReplicas 0 needs an Object or External metric, a query without podLabel, or schedules and no metrics",
  ],
  [
    "a value assumed for cpu",
    onFailure({ policy: "Assume", value: "1" }, cpu),
    "Assume applies to Pods, Object, External, and Query metrics only",
  ],
  ["an unknown way out", onFailure({ policy: "Hope" }), 'Unsupported value: "Hope"'],
  ["an unknown mode", { mode: "Off" }, 'spec.mode: Unsupported value: "Off"'],
  [
    "a pause until some day",
    { mode: "Paused", pause: { until: "tomorrow" } },
    "spec.pause.until in body must be of type date-time",
  ],
  [
    "a period of nothing",
    { tuning: { syncPeriodSeconds: 0 } },
    "spec.tuning.syncPeriodSeconds in body should be greater than or equal to 1",
  ],
  [
    "a window of more than an hour",
    { behavior: { scaleDown: { stabilizationWindowSeconds: 3601 } } },
    "stabilizationWindowSeconds in body should be less than or equal to 3600",
  ],
  [
    "no policies",
    { behavior: { scaleUp: { policies: [] } } },
    "spec.behavior.scaleUp.policies in body should have at least 1 items",
  ],
  [
    "a policy for longer than half an hour",
    { behavior: { scaleUp: { policies: [{ ...policy, periodSeconds: 1801 }] } } },
    "periodSeconds in body should be less than or equal to 1800",
  ],
  [
    "a schedule without a zone",
    withEntry({ timeZone: undefined }),
    "spec.schedules[0].timeZone: Required value",
  ],
  [
    "two schedules of one name",
    {
      schedules: [
        { ...office, replicas: 1 },
        { ...office, replicas: 2 },
      ],
    },
    "spec.schedules[1]: Duplicate value",
  ],
  ["a schedule with two ends", withEntry({ duration: "8h" }), "must have exactly one of end and duration"],
  ["a schedule without an end", withEntry({ end: undefined }), "must have exactly one of end and duration"],
  [
    "a length of some time",
    withEntry({ end: undefined, duration: "long" }),
    "spec.schedules[0].duration in body should match",
  ],
  [
    "a schedule of nothing",
    withEntry({ minReplicas: undefined }),
    "must have minReplicas, maxReplicas or both, or else replicas",
  ],
  [
    "a floor and a fixed count",
    withEntry({ replicas: 2 }),
    "must have minReplicas, maxReplicas or both, or else replicas",
  ],
  [
    "a floor above its ceiling",
    withEntry({ maxReplicas: 2 }),
    "maxReplicas must be greater than or equal to minReplicas",
  ],
  [
    "a floor above maxReplicas",
    withEntry({ minReplicas: 11 }),
    "schedules must not set more than maxReplicas",
  ],
  [
    "a ramp to no floor",
    withEntry({ minReplicas: undefined, maxReplicas: 5, ramp: { over: "5m" } }),
    "ramp needs minReplicas or replicas",
  ],
  [
    "an exclusion of nothing",
    excluded({}),
    "must have exactly one of date, from with to, weekdays, calendar, calendarName",
  ],
  [
    "an exclusion from a day on",
    excluded({ from: "2026-12-24" }),
    "must have exactly one of date, from with to",
  ],
  ["an exclusion of some day", excluded({ date: "Christmas" }), "exclusions[0].date in body should match"],
  [
    "more metrics than anybody needs",
    { metrics: Array.from({ length: 101 }, () => cpu) },
    "spec.metrics: Too many: 101: must have at most 100 items",
  ],
  ["a field that does not exist", { replicas: 3 }, 'unknown field "spec.replicas"'],
];
