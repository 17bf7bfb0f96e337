// HPAs of kube-metrics-adapter.
import * as fc from "fast-check";
import { stringify } from "yaml";
import { convert, type Fields } from "./rig.ts";

export const external = (name: string, fields: Fields = {}) => ({
  type: "External",
  external: {
    metric: { name, selector: { matchLabels: { type: "prometheus" } } },
    target: { type: "AverageValue", averageValue: "10" },
    ...fields,
  },
});

export const scheduled = (name: string, target: Fields = { type: "AverageValue", averageValue: "10" }) => ({
  type: "Object",
  object: {
    describedObject: { apiVersion: "zalando.org/v1", kind: "ClusterScalingSchedule", name },
    metric: { name },
    target,
  },
});

export const hpa = (metrics: readonly object[], annotations: Fields = {}) => ({
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

export const schedule = (
  schedules: readonly Fields[],
  spec: Fields = { scalingWindowDurationMinutes: 0 },
) => ({
  apiVersion: "zalando.org/v1",
  kind: "ClusterScalingSchedule",
  metadata: { name: "sale" },
  spec: { ...spec, schedules },
});

export const convertAll = (...objects: readonly object[]) =>
  convert(objects.map((object) => stringify(object)).join("---\n"));

export const query = "metric-config.external.events.prometheus";

export interface Repeating {
  readonly days: readonly string[];
  readonly startTime: string;
  readonly endTime: string | undefined;
  readonly minutes: number;
  readonly value: number;
}

export const time = fc
  .integer({ min: 0, max: 1439 })
  .map((at) => `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`);
