// The workloads of the specification's example: one whose replicas a deployer sets back, and a healthy one.
import type { ApiServer } from "@plimsoll/testbed/world/cluster";

const at = (time: string) => `2026-11-22T${time}:00Z`;

function condition(type: string, status: string, reason: string, since: string) {
  return { type, status, reason, message: "m", lastTransitionTime: at(since) };
}

export function putHpa(server: ApiServer, namespace: string, name: string, changes: object = {}): void {
  const external = { metric: { name: "queue_depth" }, target: { type: "AverageValue", averageValue: "30" } };
  server.put({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: "2026-10-01T00:00:00Z" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 4,
      maxReplicas: 40,
      metrics: [{ type: "External", external }],
    },
    status: {
      currentReplicas: 40,
      desiredReplicas: 40,
      conditions: [condition("ScalingLimited", "True", "TooManyReplicas", "10:08")],
    },
    ...changes,
  });
}

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly metadata?: object;
}

export function putDeployment(server: ApiServer, { namespace, name, replicas, metadata }: Workload): void {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }] },
  };
  server.put({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, ...metadata },
    spec: { replicas, selector: { matchLabels: { app: name } }, template },
    status: { replicas, updatedReplicas: replicas },
  });
  for (let index = 0; index < replicas; index++) {
    server.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `${name}-5d89-${index}`,
        namespace,
        labels: { app: name, "pod-template-hash": "5d89" },
        ownerReferences: [{ kind: "ReplicaSet", name: `${name}-5d89`, controller: true }],
        creationTimestamp: at("08:00"),
      },
      spec: template.spec,
      status: { phase: "Running", startTime: at("08:00"), conditions: [{ type: "Ready", status: "True" }] },
    });
  }
}

let events = 0;

function putEvent(server: ApiServer, about: { kind: string; name: string }, event: object): void {
  events += 1;
  const name = `${about.name}.${events}`;
  server.put({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: "pay" },
    involvedObject: about,
    ...event,
  });
}

function putQueue(server: ApiServer, namespace: string, value: string): void {
  server.reply(`/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/queue_depth`, {
    items: [{ metricName: "queue_depth", value, timestamp: "2026-11-22T10:29:50Z" }],
  });
}

export function putExample(server: ApiServer): void {
  putHpa(server, "pay", "billing");
  const argocd = {
    manager: "argocd-controller",
    operation: "Apply",
    time: at("10:22"),
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  };
  putDeployment(server, {
    namespace: "pay",
    name: "billing",
    replicas: 40,
    metadata: { managedFields: [argocd] },
  });
  putEvent(
    server,
    { kind: "HorizontalPodAutoscaler", name: "billing" },
    {
      reason: "SuccessfulRescale",
      message: "New size: 40; reason: external metric queue_depth(nil) above target",
      count: 3,
      firstTimestamp: at("10:03"),
      lastTimestamp: at("10:23"),
    },
  );
  for (const time of ["10:02", "10:12", "10:22"]) {
    putEvent(
      server,
      { kind: "Deployment", name: "billing" },
      {
        reason: "ScalingReplicaSet",
        message: "Scaled down replica set billing-5d89 from 40 to 4",
        count: 1,
        firstTimestamp: at(time),
        lastTimestamp: at(time),
      },
    );
  }
  putHpa(server, "pay", "mailer", {
    status: {
      currentReplicas: 5,
      desiredReplicas: 5,
      lastScaleTime: at("10:25"),
      conditions: [condition("ScalingLimited", "False", "DesiredWithinRange", "10:08")],
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "mailer" },
      minReplicas: 4,
      maxReplicas: 40,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
        },
      ],
    },
  });
  putDeployment(server, { namespace: "pay", name: "mailer", replicas: 5 });
  putUsage(server, "pay", "mailer", 5);
  putQueue(server, "pay", "2190");
  putApiService(server, "metrics.k8s.io");
  putApiService(server, "external.metrics.k8s.io");
}

/** 60 % of the requests. */
function putUsage(server: ApiServer, namespace: string, name: string, pods: number): void {
  server.reply(`/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`, {
    items: Array.from({ length: pods }, (_, index) => ({
      metadata: { name: `${name}-5d89-${index}`, namespace },
      timestamp: "2026-11-22T10:29:40Z",
      window: "30s",
      containers: [{ name: "main", usage: { cpu: "60m" } }],
    })),
  });
}

function putApiService(server: ApiServer, group: string): void {
  server.put({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1beta1.${group}` },
    spec: { group, version: "v1beta1", service: { namespace: "mon", name: "adapter" } },
    status: { conditions: [condition("Available", "True", "Passed", "08:00")] },
  });
}
