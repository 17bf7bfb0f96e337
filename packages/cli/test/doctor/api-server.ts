// The cluster that the doctor reads, and the doctor.
import { systemClock } from "@plimsoll/component-base";
import { type ApiServer, apiServer, type ServedResource } from "@plimsoll/testbed/world/cluster";
import { noFiles, plimsoll, type Seams } from "../run-plimsoll.ts";

export const nowMs = Date.parse("2026-11-22T10:30:00Z");

const resources: readonly ServedResource[] = [
  ["v1", "Pod", "pods"],
  ["v1", "Event", "events"],
  ["v1", "Node", "nodes", "cluster"],
  ["v1", "Namespace", "namespaces", "cluster"],
  ["v1", "ResourceQuota", "resourcequotas"],
  ["apps/v1", "Deployment", "deployments"],
  ["apps/v1", "StatefulSet", "statefulsets"],
  ["policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"],
  ["autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"],
  ["autoscaling.k8s.io/v1", "VerticalPodAutoscaler", "verticalpodautoscalers"],
  ["apiregistration.k8s.io/v1", "APIService", "apiservices", "cluster"],
  ["coordination.k8s.io/v1", "Lease", "leases"],
  ["metrics.k8s.io/v1beta1", "PodMetrics", "pods"],
  ["v1", "Service", "services"],
  ["v1", "ConfigMap", "configmaps"],
  ["networking.k8s.io/v1", "Ingress", "ingresses"],
  ["networking.k8s.io/v1", "IngressClass", "ingressclasses", "cluster"],
  ["gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes"],
  ["gateway.networking.k8s.io/v1", "Gateway", "gateways"],
  ["gateway.networking.k8s.io/v1", "GatewayClass", "gatewayclasses", "cluster"],
  ["autoscaling.plimsoll.dev/v1alpha1", "MetricRule", "metricrules"],
  ["custom.metrics.k8s.io/v1beta2", "MetricValueList", "http_requests"],
  ["external.metrics.k8s.io/v1beta1", "ExternalMetricValueList", "queue_depth"],
];

/** Pages have two objects, so that all lists have several. */
export const doctorServer = () => apiServer({ resources, pageSize: 2 });

/** Runs `plimsoll doctor` against the server, which has no endpoint of decisions: looking for one has tests of its own. */
export const doctor = (server: ApiServer, args: readonly string[], seams: Seams = {}) =>
  plimsoll(["doctor", "--via=none", ...args], {
    readText: noFiles,
    nowMs: () => nowMs,
    connect: () => Promise.resolve(server.connection(systemClock)),
    ...seams,
  });
