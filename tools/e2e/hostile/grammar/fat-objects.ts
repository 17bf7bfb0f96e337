import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import type { Step } from "../attack.ts";
import { maxBytes } from "../expand.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "target" };
const one = { type: "Value", value: "1" };

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: object;
  /** Its metrics have selectors. */
  readonly metrics?: true;
}

/** Of every kind that is listed and kept by a process. */
const kinds = fc.constantFrom<Kind>(
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10 },
    metrics: true,
  },
  {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10 },
    metrics: true,
  },
  {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    spec: { type: "External", metric: "fat-{n}", query: "max(hostile_load)" },
  },
  { apiVersion: "v1", kind: "Pod", spec: { nodeName: "node-1", containers: [{ name: "app", image: "i" }] } },
  {
    apiVersion: "autoscaling.alibabacloud.com/v1beta1",
    kind: "CronHorizontalPodAutoscaler",
    spec: { scaleTargetRef, jobs: [{ name: "yearly", schedule: "0 0 0 1 1 *", targetSize: 2 }] },
  },
);

/** The bytes of each value, about. */
const valueBytes = 60;

/** Where the bytes are: what a process drops at once, and what it could keep. */
const places = ["annotations", "labels", "managedFields", "selector", "status"] as const;

function fatten({ metrics, ...object }: Kind, place: (typeof places)[number], bytes: number): object {
  const map = {
    $map: { key: "key-{i}", value: "v".repeat(valueBytes) },
    times: Math.ceil(bytes / (valueBytes + 20)),
  };
  const text = { $repeat: "x", times: bytes };
  const metadata = { name: "fat" };
  if (place === "annotations") return { ...object, metadata: { ...metadata, annotations: { note: text } } };
  if (place === "labels") return { ...object, metadata: { ...metadata, labels: map } };
  if (place === "selector" && metrics === true) {
    const values = { $list: `value-{i}-${"v".repeat(40)}`, times: Math.ceil(bytes / 60) };
    const selector = { matchExpressions: [{ key: "a", operator: "In", values }] };
    const metric = { type: "External", external: { metric: { name: "queue_depth", selector }, target: one } };
    return { ...object, metadata, spec: { ...object.spec, metrics: [metric] } };
  }
  if (place === "status")
    return {
      ...object,
      metadata,
      status: { conditions: [{ type: "Fat", status: "True", reason: "Fat", message: text }] },
    };
  const managed = {
    manager: "m",
    operation: "Update",
    apiVersion: object.apiVersion,
    fieldsType: "FieldsV1",
  };
  return {
    ...object,
    metadata: { ...metadata, managedFields: [{ ...managed, fieldsV1: { "f:spec": map } }] },
  };
}

/** In etcd, of one step: more than a page of a list, and what a machine of the tests can serve. */
const totalBytes = 300_000_000;

/** Many large objects, which an API server took: now and then while processes start. */
export const fatObjects: Arbitrary<Step> = fc
  .tuple(kinds, fc.constantFrom(...places), fc.constantFrom(50_000, 250_000, 560_000, maxBytes - 100_000))
  .chain(([kind, place, bytes]) =>
    fc.integer({ min: 10, max: Math.floor(totalBytes / bytes) }).map((copies) => ({
      write: { object: fatten(kind, place, bytes), copies, unchecked: true },
    })),
  );
