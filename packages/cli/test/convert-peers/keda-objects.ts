import { stringify } from "yaml";
import { convert, type Fields } from "./rig.ts";

export const prometheus = (metadata: Fields = {}, rest: Fields = {}) => ({
  type: "prometheus",
  metadata: {
    serverAddress: "http://prometheus.monitoring:9090",
    query: "sum(rate(hits[2m]))",
    threshold: "100",
    ...metadata,
  },
  ...rest,
});
export const cron = (metadata: Fields = {}, rest: Fields = {}) => ({
  type: "cron",
  metadata: {
    timezone: "Europe/Berlin",
    start: "0 8 * * 1-5",
    end: "0 18 * * 1-5",
    desiredReplicas: "10",
    ...metadata,
  },
  ...rest,
});
export const cpu = { type: "cpu", metricType: "Utilization", metadata: { value: "80" } };

export const scaledObject = (spec: Fields, metadata: Fields = {}) => ({
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name: "shop", namespace: "web", ...metadata },
  spec: { scaleTargetRef: { name: "shop" }, minReplicaCount: 1, triggers: [prometheus()], ...spec },
});

export const convertKeda = (spec: Fields, metadata: Fields = {}) =>
  convert(stringify(scaledObject(spec, metadata)));

export const metricsQuery = ({ rules }: { readonly rules: readonly Fields[] }, index = 0) =>
  rules[index]?.["metricsQuery"];
