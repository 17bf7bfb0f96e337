// Objects as large as an API server takes them, whose size is in labels, annotations, or their specification.

import { forEachLimit } from "@plimsoll/component-base";
import type { KubeClient } from "@plimsoll/kube";

/** About the bytes of each in etcd. */
export const largeBytes = 560_000;

const kinds = ["pods", "hpas", "wlas", "rules", "crons"] as const;
export type LargeKind = (typeof kinds)[number];

/** One tenant may have several namespaces. */
export const hostileNamespaces = ["hostile-0", "hostile-1", "hostile-2"];

const paths: Readonly<Record<LargeKind, string>> = {
  pods: "api/v1/namespaces/NS/pods",
  hpas: "apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
  wlas: "apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/NS/workloadautoscalers",
  rules: "apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/NS/metricrules",
  crons: "apis/autoscaling.alibabacloud.com/v1beta1/namespaces/NS/cronhorizontalpodautoscalers",
};

/** Creates objects from one number to another, of all kinds in turn. */
export async function createLarge(
  client: KubeClient,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  await forEachLimit(4, numbers, (number) => createOne(client, number));
}

async function createOne(client: KubeClient, number: number): Promise<void> {
  const kind = kinds[number % kinds.length] ?? "pods";
  const serial = Math.floor(number / kinds.length);
  const namespace = hostileNamespaces[serial % hostileNamespaces.length] ?? "";
  const form = forms[serial % forms.length] ?? forms[0];
  const path = `/${paths[kind].replace("NS", namespace)}`;
  await client.request({ method: "POST", path, body: form(kind, `large-${serial}`), timeoutMs: 60_000 });
}

type Form = (kind: LargeKind, name: string) => object;

const forms: readonly [Form, ...Form[]] = [
  (kind, name) => objectOf(kind, { name, labels: pairs(2_700) }),
  (kind, name) => objectOf(kind, { name, labels: pairs(1_500), annotations: { note: "x".repeat(240_000) } }),
  // A specification without room for it is as small as its schema allows: its labels are large.
  (kind, name) =>
    kind === "rules" || kind === "crons"
      ? objectOf(kind, { name, labels: pairs(2_700) })
      : objectOf(kind, { name }, specs[kind](4_200)),
];

/** Labels, each with some 130 bytes, and half as much in the managed fields. */
function pairs(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `label-${String(index).padStart(5, "0")}-${"k".repeat(50)}`,
      "v".repeat(63),
    ]),
  );
}

const types: Readonly<Record<LargeKind, readonly [apiVersion: string, kind: string]>> = {
  pods: ["v1", "Pod"],
  hpas: ["autoscaling/v2", "HorizontalPodAutoscaler"],
  wlas: ["autoscaling.plimsoll.dev/v1alpha1", "WorkloadAutoscaler"],
  rules: ["autoscaling.plimsoll.dev/v1alpha1", "MetricRule"],
  crons: ["autoscaling.alibabacloud.com/v1beta1", "CronHorizontalPodAutoscaler"],
};

function objectOf(kind: LargeKind, metadata: object, spec: object = specs[kind](0)): object {
  const [apiVersion, name] = types[kind];
  return { apiVersion, kind: name, metadata, spec };
}

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "nowhere" };

function scaled(size: number): object {
  const selector = size === 0 ? {} : { selector: { matchLabels: pairs(size) } };
  const metric = { name: "queue_depth", ...selector };
  const external = { metric, target: { type: "AverageValue", averageValue: "10" } };
  return { scaleTargetRef: target, maxReplicas: 10, metrics: [{ type: "External", external }] };
}

/** A specification with this number of needless parts. */
const specs: Readonly<Record<LargeKind, (size: number) => object>> = {
  pods: (size) => ({
    containers: Array.from({ length: 1 + Math.floor(size / 4) }, (_, index) => ({
      name: `container-${index}-${"n".repeat(40)}`,
      image: `registry.example/${"i".repeat(60)}:1`,
      resources: { requests: { cpu: `${index + 1}m`, memory: "64Mi" } },
    })),
  }),
  hpas: scaled,
  wlas: scaled,
  rules: () => ({ type: "External", query: "queue_depth" }),
  crons: () => ({
    scaleTargetRef: target,
    jobs: [{ name: "up", schedule: "0 0 8 * * *", targetSize: 3 }],
  }),
};
