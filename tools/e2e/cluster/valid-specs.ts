// Specifications of WorkloadAutoscalers that the CRD takes.

export type Fields = Readonly<Record<string, unknown>>;

export const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
const identifier = { name: "queue_length" };
export const averageValue = { type: "AverageValue", averageValue: "10" };
export const external = { type: "External", external: { metric: identifier, target: averageValue } };
export const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
};
export const query = (rest: object = {}) => ({
  type: "Query",
  query: { promql: "sum(rate(requests_total[2m]))", target: averageValue, ...rest },
});
export const policy = { type: "Pods", value: 1, periodSeconds: 60 };

export const withMetric = (metric: unknown): Fields => ({ metrics: [metric] });
export const onFailure = (onMetricFailure: unknown, metric: object = external) =>
  withMetric({ ...metric, onMetricFailure });

export const office = {
  name: "office",
  timeZone: "Europe/Berlin",
  start: "0 8 * * MON-FRI",
  end: "0 18 * * MON-FRI",
};
export const withEntry = (entry: Fields): Fields => ({
  schedules: [{ ...office, minReplicas: 3, ...entry }],
});

export const valid: readonly (readonly [title: string, spec: Fields])[] = [
  ["no more than a target and a limit", {}],
  [
    "a metric of each type",
    {
      metrics: [
        cpu,
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "main", target: averageValue },
        },
        { type: "Pods", pods: { metric: identifier, target: averageValue } },
        {
          type: "Object",
          object: {
            describedObject: scaleTargetRef,
            metric: identifier,
            target: { type: "Value", value: 2000 },
          },
        },
        external,
      ],
    },
  ],
  [
    "a query, of the whole and of each pod",
    { metrics: [query(), query({ podLabel: "pod", source: "team-a" })] },
  ],
  ["ten queries", { metrics: Array.from({ length: 10 }, () => query()) }],
  ["zero replicas with a query", { minReplicas: 0, ...withMetric(query()) }],
  ["a value assumed for a query", onFailure({ policy: "Assume", value: "1" }, query())],
  ["zero replicas with an External metric", { minReplicas: 0, ...withMetric(external) }],
  [
    "every way out of a metric that fails",
    {
      metrics: [
        { policy: "Block" },
        { policy: "HoldLast", forSeconds: 60 },
        { policy: "Ignore" },
        { policy: "Assume", value: "5" },
        { policy: "Fallback", replicas: 3 },
        { policy: "Fallback", replicas: 3, allowScaleDown: true, afterSeconds: 45 },
      ].map((onMetricFailure) => ({ ...external, onMetricFailure })),
    },
  ],
  [
    "tuning, behavior and a pause",
    {
      mode: "Paused",
      pause: { reason: "migration", until: "2030-01-01T00:00:00Z" },
      tuning: {
        syncPeriodSeconds: 1,
        tolerance: "0.05",
        cpuInitializationPeriodSeconds: 0,
        initialReadinessDelaySeconds: 0,
        downscaleStabilizationSeconds: 3600,
      },
      behavior: {
        scaleUp: { policies: [policy] },
        scaleDown: { selectPolicy: "Disabled", tolerance: "0.2" },
      },
    },
  ],
  [
    "fields that are written without a value",
    {
      minReplicas: null,
      mode: null,
      metrics: null,
      behavior: { scaleUp: null, scaleDown: { tolerance: null, stabilizationWindowSeconds: null } },
      tuning: { syncPeriodSeconds: null },
      pause: null,
      schedules: [{ ...office, minReplicas: 3, duration: null, exclusions: null, ramp: null }],
    },
  ],
  [
    "metrics with fields that are written without a value",
    {
      metrics: [
        {
          ...external,
          pods: null,
          onMetricFailure: null,
          external: { metric: { ...identifier, selector: null }, target: { ...averageValue, value: null } },
        },
      ],
    },
  ],
  [
    "schedules of every kind",
    {
      schedules: [
        { ...office, minReplicas: 3, maxReplicas: 8, ramp: { over: "30m", steps: 3 } },
        { ...office, name: "night", end: undefined, duration: "8h30m", replicas: 0, precedence: "Ceiling" },
        {
          ...office,
          name: "sale",
          replicas: 10,
          exclusions: [
            { date: "2026-12-25" },
            { from: "2026-12-24", to: "2026-12-31" },
            { weekdays: ["SAT", "Sunday"] },
            { calendarName: "holidays.ics" },
          ],
        },
      ],
    },
  ],
];
