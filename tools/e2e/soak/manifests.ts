// The objects of the soak: Deployments, and what scales them.
import type { KubeObject } from "@plimsoll/kube";
import type { WorkloadLoad } from "@plimsoll/sandbox";
import type { Random } from "./random.ts";

export const namespace = "soak";

export type Kind = "hpa" | "wla" | "bounds" | "cron";

/** An object that scales something. */
export interface SoakObject {
  readonly kind: Kind;
  readonly name: string;
  /** A Deployment, or the HPA whose limits are moved. */
  readonly target: string;
}

/** Seconds between two runs of the jobs of a CronHorizontalPodAutoscaler. */
export const cronSeconds = 5;

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(2, "0")}`);

/** Deployments for HPAs and WorkloadAutoscalers, and for CronHorizontalPodAutoscalers. */
export const targets = numbered("t", 24);
export const cronTargets = numbered("c", 6);

const apis: Readonly<
  Record<Kind, { readonly apiVersion: string; readonly kind: string; readonly plural: string }>
> = {
  hpa: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers" },
  wla: wlaApi(),
  bounds: wlaApi(),
  cron: {
    apiVersion: "autoscaling.alibabacloud.com/v1beta1",
    kind: "CronHorizontalPodAutoscaler",
    plural: "cronhorizontalpodautoscalers",
  },
};

function wlaApi() {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    plural: "workloadautoscalers",
  };
}

export function pathOf(kind: Kind, name?: string): string {
  const { apiVersion, plural } = apis[kind];
  return `/apis/${apiVersion}/namespaces/${namespace}/${plural}${name === undefined ? "" : `/${name}`}`;
}

/** With a spec that the random numbers choose. */
export function manifestOf(object: SoakObject, random: Random): KubeObject {
  const { apiVersion, kind } = apis[object.kind];
  return {
    apiVersion,
    kind,
    metadata: { name: object.name, namespace },
    spec: { scaleTargetRef: targetOf(object), ...specOf(object.kind, random) },
  } as KubeObject;
}

function targetOf({ kind, target }: SoakObject) {
  return kind === "bounds"
    ? { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: target }
    : { apiVersion: "apps/v1", kind: "Deployment", name: target };
}

/** The part of a spec that an edit replaces. */
export function specOf(kind: Kind, random: Random): Readonly<Record<string, unknown>> {
  if (kind === "cron") return { jobs: cronJobs(random) };
  const minReplicas = random.whole(1, 3);
  const maxReplicas = minReplicas + random.whole(2, 6);
  const limits = { minReplicas, maxReplicas };
  if (kind === "hpa") return { ...limits, metrics: metricsOf(random) };
  const schedules = [scheduleOf(limits, random)];
  if (kind === "bounds") return { ...limits, schedules };
  const mode = random.pick(["Active", "Active", "Active", "Active", "Shadow", "Paused"]);
  // A merge patch removes a field by null.
  const pause = mode === "Paused" ? { reason: "soak" } : null;
  return { ...limits, mode, ...(pause === null ? {} : { pause }), metrics: metricsOf(random), schedules };
}

const metrics = [
  (random: Random) => ({
    type: "Pods",
    pods: {
      metric: { name: "packets-per-second" },
      target: { type: "AverageValue", averageValue: `${random.whole(5, 20)}00` },
    },
  }),
  (random: Random) => ({
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: random.whole(4, 9) * 10 } },
  }),
  (random: Random) => ({
    type: "External",
    external: {
      metric: { name: "queue_depth", selector: { matchLabels: { queue: "orders" } } },
      target: { type: "AverageValue", averageValue: `${random.whole(10, 60)}` },
    },
  }),
];

function metricsOf(random: Random): readonly object[] {
  const first = random.whole(0, metrics.length - 1);
  const chosen = metrics.filter((_, index) => index === first || random.next() < 0.3);
  return chosen.map((metric) => metric(random));
}

/** Holds for a minute in every second or third one, so that it begins and ends many times. */
function scheduleOf(limits: { readonly minReplicas: number; readonly maxReplicas: number }, random: Random) {
  const between = random.whole(limits.minReplicas, limits.maxReplicas);
  return {
    name: "busy",
    timeZone: random.pick(["UTC", "Europe/Berlin", "America/New_York"]),
    start: `*/${random.whole(2, 3)} * * * *`,
    duration: "1m",
    ...(random.next() < 0.7 ? { minReplicas: between } : { maxReplicas: between }),
    exclusions: [{ date: "2020-12-25" }],
  };
}

/** Two sizes in turn: every run changes the Deployment, also after an edit of the sizes. */
function cronJobs(random: Random): readonly object[] {
  const small = random.whole(1, 2);
  const secondsFrom = (first: number) =>
    Array.from({ length: 60 / (2 * cronSeconds) }, (_, index) => first + 2 * cronSeconds * index).join(",");
  return [
    { name: "less", schedule: `${secondsFrom(0)} * * * * *`, targetSize: small },
    { name: "more", schedule: `${secondsFrom(cronSeconds)} * * * * *`, targetSize: small + 2 },
  ];
}

export function deploymentOf(name: string): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, annotations: { "sandbox.plimsoll.dev/ready-delay": "500ms" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "app",
              image: "registry.example/app:1",
              resources: { requests: { cpu: "500m", memory: "128Mi" } },
            },
          ],
        },
      },
    },
  } as KubeObject;
}

export const deploymentsPath = `/apis/apps/v1/namespaces/${namespace}/deployments`;

/** What a Deployment has to do: `level` is about how many replicas that takes. */
export function loadsOf(name: string, level: number): readonly WorkloadLoad[] {
  const on = { namespace, kind: "Deployment", name };
  return [
    { ...on, metric: "packets", points: [{ atMs: 0, value: 1000 * level }] },
    { ...on, metric: "cpu", points: [{ atMs: 0, value: 0.3 * level }] },
  ];
}

export function queueOf(level: number): WorkloadLoad {
  return {
    namespace,
    kind: "Queue",
    name: "orders",
    metric: "queue",
    points: [{ atMs: 0, value: 20 * level }],
  };
}
