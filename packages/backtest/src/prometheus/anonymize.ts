// A recording without the names of things: what can be given to others.
import { zoneOffset } from "@plimsoll/core/schedules";
import type { Recording } from "../replay/recording.ts";
import {
  always,
  createNames,
  fields,
  firstOf,
  type Keep,
  list,
  matching,
  named,
  number,
  oneOf,
  record,
} from "./allow-list.ts";

/**
 * The same numbers under names without a meaning. Only the fields below stay, each in its form: a field that is new, and
 * text in place of a number, are left out. What was the same name is the same name after it.
 */
export function anonymize(recording: Recording): Recording {
  return anonymous(recording, createNames()) as Recording;
}

const quantity = firstOf(
  number,
  matching(/^[+-]?(?:\d{1,32}(?:\.\d{0,32})?|\.\d{1,32})(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,4})?$/),
);
const duration = matching(/^(?:\d{1,16}(?:\.\d{1,16})?[hms]){1,8}$/);
const date = matching(/^\d{4}-\d\d-\d\d$/);
const instant = matching(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?$/);
const cronPart =
  "(?:[\\d*?,/#LW-]|SUN|MON|TUE|WED|THU|FRI|SAT|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)";
const cron = firstOf(
  matching(new RegExp(`^${cronPart}{1,64}(?: {1,4}${cronPart}{1,64}){4,6}$`, "i")),
  oneOf("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"),
);
const weekday = matching(/^(?:sun|mon|tue(?:s)?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?$/i);

/** A zone of the tz database. */
const timeZone: Keep = (value) =>
  typeof value === "string" && zoneOffset(value) !== undefined ? value : undefined;

const resource = firstOf(oneOf("cpu", "memory"), named("resource"));
const kind = firstOf(
  oneOf("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "DaemonSet", "Job", "CronJob"),
  oneOf("Pod", "Service", "Ingress", "Node", "Namespace"),
  named("kind"),
);
const apiVersion = firstOf(
  oneOf("", "v1", "apps/v1", "extensions/v1beta1", "batch/v1", "networking.k8s.io/v1"),
  named("group.example/v"),
);

const target = fields({
  type: oneOf("Utilization", "Value", "AverageValue"),
  value: quantity,
  averageValue: quantity,
  averageUtilization: number,
  // In autoscaling/v2beta1 the object has this field.
  apiVersion,
  kind,
  name: named("object"),
});

const source = fields({
  name: resource,
  container: named("container"),
  metric: fields({ name: named("metric") }),
  describedObject: fields({ apiVersion, kind, name: named("object") }),
  target,
  metricName: named("metric"),
  targetAverageUtilization: number,
  targetAverageValue: quantity,
  targetValue: quantity,
  averageValue: quantity,
});

const metric = fields({
  type: oneOf("Resource", "ContainerResource", "Pods", "Object", "External", "Query"),
  resource: source,
  containerResource: source,
  pods: source,
  object: source,
  external: source,
  // PromQL has names of series, labels, and values: only which queries are the same stays.
  query: fields({
    promql: (value, names) =>
      typeof value === "string" ? names("query", value).replace("-", "_") : undefined,
    source: named("source"),
    podLabel: always("pod"),
    target,
  }),
  onMetricFailure: fields({
    policy: oneOf("Block", "HoldLast", "Ignore", "Assume", "Fallback"),
    forSeconds: number,
    afterSeconds: number,
    allowScaleDown: (value) => (typeof value === "boolean" ? value : undefined),
    value: quantity,
    replicas: number,
  }),
});

const schedule = fields({
  name: named("schedule"),
  timeZone,
  start: firstOf(cron, instant),
  end: firstOf(cron, instant),
  duration,
  minReplicas: number,
  maxReplicas: number,
  replicas: number,
  ramp: fields({ over: duration, steps: number }),
  precedence: oneOf("Floor", "Ceiling"),
  // The text of a calendar names days, places, and people.
  exclusions: list(
    fields({
      date,
      from: date,
      to: date,
      weekdays: list(weekday),
      calendar: named("calendar"),
      calendarName: named("calendar"),
    }),
  ),
});

const scaling = fields({
  stabilizationWindowSeconds: number,
  selectPolicy: oneOf("Max", "Min", "Disabled"),
  policies: list(fields({ type: oneOf("Pods", "Percent"), value: number, periodSeconds: number })),
  tolerance: quantity,
});

const spec = fields({
  scaleTargetRef: fields({ apiVersion, kind, name: always("workload") }),
  minReplicas: number,
  maxReplicas: number,
  targetCPUUtilizationPercentage: number,
  metrics: list(metric),
  schedules: list(schedule),
  behavior: fields({ scaleUp: scaling, scaleDown: scaling }),
  mode: oneOf("Active", "Shadow", "Paused"),
  adopt: oneOf("Never", "FromZero"),
  pause: fields({ until: instant }),
  tuning: fields({
    syncPeriodSeconds: number,
    tolerance: quantity,
    cpuInitializationPeriodSeconds: number,
    initialReadinessDelaySeconds: number,
    downscaleStabilizationSeconds: number,
    upscaleDelaySeconds: number,
    downscaleDelaySeconds: number,
  }),
});

const manifest = fields({
  apiVersion: oneOf(
    "autoscaling/v1",
    "autoscaling/v2",
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "autoscaling.plimsoll.dev/v1alpha1",
  ),
  kind: oneOf("HorizontalPodAutoscaler", "WorkloadAutoscaler"),
  metadata: fields({ namespace: always("namespace"), name: always("workload") }),
  spec,
});

const span = fields({ fromMs: number, toMs: number });

const anonymous = fields({
  version: number,
  target: fields({ namespace: always("namespace"), kind, name: always("workload") }),
  span,
  autoscaler: fields({
    object: manifest,
    changes: list(
      fields({
        atMs: number,
        earliestMs: number,
        field: oneOf("minReplicas", "maxReplicas", "target", "generation", "tolerance"),
        metricIndex: number,
        value: number,
      }),
    ),
  }),
  syncs: fields({ atMs: list(number), clock: oneOf("known", "recovered", "unknown") }),
  pods: list(
    fields({
      name: named("pod"),
      createdMs: number,
      startedMs: number,
      runningMs: number,
      ready: list(span),
      deletedMs: number,
      goneMs: number,
      requests: record(named("container"), record(resource, quantity)),
      uncertaintyMs: number,
    }),
  ),
  scale: list(fields({ atMs: number, earliestMs: number, value: number })),
  metrics: list(
    fields({
      index: number,
      level: oneOf("exact", "series", "status", "none"),
      rangeMs: number,
      windowMs: number,
      samples: list(
        fields({
          atMs: number,
          values: list(fields({ pod: named("pod"), value: number, measuredMs: number, windowMs: number })),
        }),
      ),
      gaps: list(span),
    }),
  ),
  status: list(
    fields({
      atMs: number,
      currentReplicas: number,
      desiredReplicas: number,
      values: list(number),
      scalingActive: (value) => (typeof value === "boolean" ? value : undefined),
    }),
  ),
});
