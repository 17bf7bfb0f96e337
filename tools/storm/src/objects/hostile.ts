// Draws objects that the schema lets in and that are meant to do harm. They have a namespace of their own.
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";

export const hostileNamespace = "hostile";

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "victim" };
const queue = (name: string) => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue: "1n" } },
});

/** One of them; seldom evaluated where it asks for much. */
export function drawHostile(random: Random, name: string): SetupObject {
  const bounds = { minReplicas: 1, maxReplicas: 2_147_483_647 };
  const wla = (spec: object): SetupObject => ({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name, namespace: hostileNamespace },
    spec: { scaleTargetRef: target, tuning: { syncPeriodSeconds: 120 }, mode: "Shadow", ...spec },
  });
  return random.pick([
    () => wla({ ...bounds, metrics: Array.from({ length: 100 }, (_, n) => queue(`metric-${String(n)}`)) }),
    () => wla({ ...bounds, schedules: Array.from({ length: 50 }, (_, n) => endless(n)) }),
    () => wla({ minReplicas: 1, maxReplicas: 3, metrics: [queue("__proto__")], schedules: [calendar] }),
    () => wla({ minReplicas: 1, maxReplicas: 3, metrics: [queue("constructor")], behavior: manyRules }),
    () => noSuchTarget(name),
    () => manyJobs(name),
  ])();
}

/** Its exclusions cover all of its starts. */
function endless(n: number): object {
  return {
    name: `entry-${String(n)}`,
    timeZone: "Australia/Lord_Howe",
    start: `${String(n)} 0 * * 3`,
    duration: "1m",
    maxReplicas: 1,
    exclusions: [{ weekdays: ["WED"] }],
  };
}

const calendar = {
  name: "calendar",
  timeZone: "UTC",
  start: "* * * * *",
  duration: "59s",
  minReplicas: 1,
  exclusions: [
    {
      calendar: [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//storm//EN",
        "BEGIN:VEVENT",
        "UID:long@storm",
        "DTSTAMP:20260101T000000Z",
        "DTSTART:00010101T000000Z",
        "DURATION:P99999999W",
        "RRULE:FREQ=DAILY",
        "END:VEVENT",
        "END:VCALENDAR",
      ].join("\r\n"),
    },
  ],
};

const manyRules = {
  scaleUp: {
    policies: Array.from({ length: 50 }, (_, n) => ({
      type: "Percent",
      value: 2_147_483_647 - n,
      periodSeconds: 1800,
    })),
  },
};

function noSuchTarget(name: string): SetupObject {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name,
      namespace: hostileNamespace,
      annotations: { "autoscaling.plimsoll.dev/managed": "true" },
    },
    spec: {
      scaleTargetRef: { apiVersion: "no.such.group/v1", kind: "Nothing", name: "x".repeat(200) },
      maxReplicas: 2_147_483_647,
    },
  };
}

function manyJobs(name: string): SetupObject {
  return {
    apiVersion: "autoscaling.alibabacloud.com/v1beta1",
    kind: "CronHorizontalPodAutoscaler",
    metadata: { name, namespace: hostileNamespace },
    spec: {
      scaleTargetRef: target,
      jobs: Array.from({ length: 100 }, (_, n) => ({
        name: `job-${String(n % 90)}`,
        schedule: n % 3 === 0 ? "0 0 0 31 2 *" : `0 ${String(n % 60)} * * * *`,
        targetSize: n % 4 === 0 ? -1 : n,
      })),
    },
  };
}
