// The cluster that most commands read, and the command that reads it.
import type { Clock } from "@plimsoll/component-base";
import { type ApiServerOptions, apiServer, type ServedResource } from "@plimsoll/testbed/world/cluster";
import { noFiles, plimsoll, type Seams } from "../run-plimsoll.ts";

export const nowMs = Date.parse("2026-11-22T10:00:02Z");

const resources: readonly ServedResource[] = [
  ["v1", "Pod", "pods"],
  ["v1", "Event", "events"],
  ["apps/v1", "Deployment", "deployments"],
  ["apps/v1", "StatefulSet", "statefulsets"],
  ["autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"],
  ["autoscaling.plimsoll.dev/v1alpha1", "WorkloadAutoscaler", "workloadautoscalers"],
  ["keda.sh/v1alpha1", "ScaledObject", "scaledobjects"],
  ["external.metrics.k8s.io/v1beta1", "ExternalMetricValueList", "externalmetrics"],
  ["custom.metrics.k8s.io/v1beta2", "MetricValueList", "metrics"],
  ["coordination.k8s.io/v1", "Lease", "leases"],
];
const endpointResource = ["explain.plimsoll.dev/v1", "SummaryRowList", "summary"] as const;

export type FakeCluster = ReturnType<typeof fakeCluster>;

export function fakeCluster({
  hasApiService = false,
  ...options
}: Pick<ApiServerOptions, "version" | "groups"> & {
  /** Whether an APIService registers the decisions endpoint. */
  readonly hasApiService?: boolean;
} = {}) {
  const server = apiServer({
    resources: hasApiService ? [...resources, endpointResource] : resources,
    ...options,
  });
  return {
    ...server,
    /** The usage of pods, as metrics.k8s.io serves it. */
    usage(namespace: string, items: readonly object[]) {
      server.reply(`/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`, { items });
    },
  };
}

/** Runs the command against the cluster. */
export async function run(cluster: FakeCluster, args: readonly string[], seams: Seams = {}) {
  const clock: Clock = { nowMs: () => nowMs, after: () => () => undefined };
  const connect = () => Promise.resolve(cluster.connection(clock));
  const given = { readText: noFiles, nowMs: () => nowMs, clock, connect, ...seams };
  const { code, out, err } = await plimsoll(args, given);
  return { code, out, errors: err };
}
