// Clusters in which nothing is wrong, near to those that a rule is about.
import type { Fields } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { known } from "../src/index.ts";
import {
  ago,
  apiService,
  condition,
  deployment,
  examine,
  found,
  hpa,
  pastDecisions,
  pod,
  queue,
  type World,
  wla,
} from "./world.ts";

test("a MetricRule without values is a warning, and one that no adapter has read is found after five minutes", () => {
  const rule = (minutes: number, conditions: readonly Fields[]): Fields => ({
    kind: "MetricRule",
    metadata: { name: "rate", namespace: "shop", creationTimestamp: ago(minutes) },
    spec: { type: "External", query: "sum(rate(a[2m]))" },
    status: { conditions },
  });
  const accepted = condition("Accepted", "True", "Accepted");
  const empty = [accepted, condition("Resolved", "False", "NoSeries")];
  const { findings } = examine("PL-047", { facts: { metricRules: known([rule(60, empty), rule(6, [])]) } });
  expect(findings.map(({ severity, title, object }) => [severity, title, object.name])).toEqual([
    ["warn", "the MetricRule has no value: NoSeries", "rate"],
    ["error", "no metrics adapter has read the MetricRule", "rate"],
  ]);
});

test("a query is found where the API has no APIService at all", () => {
  const metrics = [{ type: "Query", query: { promql: "up", target: { type: "Value", value: "1" } } }];
  expect(found("PL-050", { object: wla({ spec: { metrics } }), facts: { apiServices: known([]) } })).toEqual([
    expect.stringContaining("external.metrics.k8s.io has no APIService"),
  ]);
});

test("a query that metrics-adapter has accepted is no finding, whatever its Service is called", () => {
  const metrics = [{ type: "Query", query: { promql: "up", target: { type: "Value", value: "1" } } }];
  const apiServices = known([
    apiService("external.metrics.k8s.io", {
      spec: { service: { namespace: "monitoring", name: "prometheus-adapter" } },
    }),
  ]);
  const object = (generation: number) =>
    wla({
      metadata: { generation },
      spec: { metrics },
      status: {
        queries: [
          {
            name: "query[0]",
            conditions: [{ ...condition("Accepted", "True", "Accepted"), observedGeneration: 4 }],
          },
        ],
      },
    });
  expect(found("PL-050", { object: object(4), facts: { apiServices } })).toEqual([]);
  expect(found("PL-050", { object: object(5), facts: { apiServices } })).toHaveLength(1);
});

test("a live query is found where the adapter scrapes no pods, or no pods of a node's network, until it may", () => {
  const live = (source: Fields) => ({ type: "Query", query: { promql: "a", ...source, target: value } });
  const value = { type: "Value", value: "1" };
  const object = wla({ spec: { metrics: [live({ live: { port: "metrics" } })] } });
  const error = "spec.live: the adapter scrapes no pods";
  const disabled = known([{ samples: { error, reason: "LiveDisabled" } }]);
  const read = known([{ samples: { values: [{ value: "1" }] } }]);
  const fixesOf = (id: string, world: World) => examine(id, world).findings.map(({ fix }) => fix);
  expect(fixesOf("PL-021", { object, facts: { samples: disabled } })).toEqual([
    "start metrics-adapter with --live-metrics, or remove live from the query",
  ]);
  const remote = { object: wla({ spec: { metrics: [live({})] } }), facts: { samples: read } };
  for (const world of [{ object, facts: { samples: read } }, remote])
    expect(found("PL-021", world)).toEqual([]);

  const target = known({
    found: true as const,
    object: deployment({ spec: livePods({ hostNetwork: true }) }),
  });
  const ofNode = { object, facts: { samples: disabled, target } };
  expect(fixesOf("PL-057", ofNode)).toEqual([
    "remove hostNetwork from the pod template, or start metrics-adapter with --live-host-network",
  ]);
  const own = known({ found: true as const, object: deployment({ spec: livePods({}) }) });
  expect(found("PL-057", { object, facts: { samples: disabled, target: own } })).toEqual([]);
  expect(found("PL-057", { object, facts: { samples: read, target } })).toEqual([]);
});

const livePods = (more: Fields): Fields => ({
  template: { spec: { containers: [{ ports: [{ name: "metrics", containerPort: 9090 }] }], ...more } },
});

const scaledObject = (changes: { metadata?: Fields; conditions?: readonly Fields[] } = {}): Fields => ({
  kind: "ScaledObject",
  metadata: { name: "queue", namespace: "default", ...changes.metadata },
  spec: { scaleTargetRef: { name: "shop" } },
  status: { hpaName: "keda-hpa-queue", conditions: changes.conditions ?? [] },
});

const targetOf = (changes: Parameters<typeof deployment>[0]) =>
  known({ found: true as const, object: deployment(changes) });

const appliedReplicas = targetOf({
  metadata: {
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"spec":{"replicas":4}}' },
    managedFields: [
      {
        manager: "kubectl",
        operation: "Apply",
        subresource: "",
        time: ago(20),
        fieldsV1: { "f:spec": { "f:replicas": {} } },
      },
    ],
  },
});

test("an autoscaler in shadow writes nothing, so who else scales its target is no conflict", () => {
  const facts = {
    scaledObjects: known([scaledObject()]),
    datadogAutoscalers: known([
      { metadata: { name: "dd" }, spec: { targetRef: { kind: "Deployment", name: "shop" } } },
    ]),
    cronHpas: known([
      { metadata: { name: "night" }, spec: { scaleTargetRef: { kind: "Deployment", name: "shop" } } },
    ]),
    target: appliedReplicas,
  };
  for (const id of ["PL-003", "PL-004", "PL-006", "PL-007"]) {
    expect([id, found(id, { object: wla({ spec: { mode: "Shadow" } }), facts })]).toEqual([id, []]);
    expect([id, found(id, { object: wla(), facts }).length > 0]).toEqual([id, true]);
  }
});

test("another autoscaler that does not scale is no conflict", () => {
  const targetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
  const datadog = (spec: Fields): World => ({
    facts: { datadogAutoscalers: known([{ metadata: { name: "dd" }, spec: { targetRef, ...spec } }]) },
  });
  expect(found("PL-003", datadog({ applyPolicy: { mode: "Preview" } }))).toEqual([]);
  expect(found("PL-003", datadog({ policy: { applyMode: "None" } }))).toEqual([]);
  expect(found("PL-003", datadog({ applyPolicy: { mode: "Apply" } }))).toHaveLength(1);

  const paused = (annotations: Fields): World => ({
    facts: { scaledObjects: known([scaledObject({ metadata: { annotations } })]) },
  });
  expect(found("PL-003", paused({ "autoscaling.keda.sh/paused": "true" }))).toEqual([]);
  // KEDA keeps the target at that count.
  const both = { "autoscaling.keda.sh/paused": "true", "autoscaling.keda.sh/paused-replicas": "3" };
  for (const annotations of [{}, { "autoscaling.keda.sh/paused": "false" }, both])
    expect(found("PL-003", paused(annotations))).toHaveLength(1);
});

test("different changes that the API server combined into one event are no repeated reset", () => {
  const about = (kind: string) => ({ kind, name: "shop" });
  const events = [
    {
      involvedObject: about("HorizontalPodAutoscaler"),
      reason: "SuccessfulRescale",
      message: "(combined from similar events): New size: 44; reason: cpu above target",
      count: 9,
      firstTimestamp: ago(9),
      lastTimestamp: ago(2),
    },
    {
      involvedObject: about("HorizontalPodAutoscaler"),
      reason: "SuccessfulRescale",
      message: "New size: 8; reason: cpu above target",
      count: 1,
      firstTimestamp: ago(12),
      lastTimestamp: ago(12),
    },
    {
      involvedObject: about("Deployment"),
      reason: "ScalingReplicaSet",
      message: "(combined from similar events): Scaled up replica set shop-5d89 from 36 to 40",
      count: 9,
      firstTimestamp: ago(9),
      lastTimestamp: ago(3),
    },
  ];
  expect(found("PL-007", { facts: { events: known(events) } })).toEqual([]);
});

test("pods of two revisions of a kind that is unknown are no pods of others", () => {
  const scaleTargetRef = { apiVersion: "apps.openshift.io/v1", kind: "DeploymentConfig", name: "shop" };
  const object = hpa({ spec: { scaleTargetRef } });
  const of = (kind: string, name: string, index: number) =>
    pod(index, { owner: { kind, name, controller: true } });
  const rolling = [of("ReplicationController", "shop-1", 0), of("ReplicationController", "shop-2", 1)];
  expect(found("PL-012", { object, facts: { pods: known(rolling) } })).toEqual([]);
  const withJob = [...rolling, of("Job", "backup", 2)];
  expect(found("PL-012", { object, facts: { pods: known(withJob) } })).toHaveLength(1);
});

test("a target that KEDA scaled to zero was not switched off", () => {
  const metadata = { ownerReferences: [{ kind: "ScaledObject", name: "queue", controller: true }] };
  const scale = known({ found: true as const, specReplicas: 0, statusReplicas: 0, selector: "app=shop" });
  expect(found("PL-013", { object: hpa({ metadata }), facts: { scale } })).toEqual([]);
  expect(found("PL-013", { facts: { scale } })).toHaveLength(1);
});

test("an external metric that answers comes from the right adapter, whoever it is", () => {
  const external = hpa({ spec: { metrics: [queue("AverageValue")] } });
  const ofKeda = {
    ...external,
    metadata: { labels: { "scaledobject.keda.sh/name": "queue" }, name: "shop" },
  };
  const apiServices = known([apiService("external.metrics.k8s.io")]);
  const answer = known([{ samples: { values: [{ value: "12" }] } }]);
  expect(found("PL-019", { object: ofKeda, facts: { apiServices, samples: answer } })).toEqual([]);
  const error = known([{ samples: { error: "no such metric" } }]);
  expect(found("PL-019", { object: ofKeda, facts: { apiServices, samples: error } })).toHaveLength(1);
});

test("a general rule before a special one adds its other metrics", () => {
  const rule = {
    path: "rules[0]",
    seriesQuery: '{namespace!=""}',
    metrics: ["http_requests", "queue_depth"],
    listed: [],
    shadowed: [{ metric: "http_requests", by: "rules[1]" }],
    problem: undefined,
    rangesMs: [],
    scrapeIntervalMs: undefined,
    silentMs: undefined,
    labels: [],
    warnings: [],
    ignoresSelector: false,
    isNamespaced: true,
    lacksLabel: false,
  };
  expect(found("PL-023", { facts: { adapterRules: known([rule]) } })).toEqual([]);
  const all = { ...rule, metrics: ["http_requests"] };
  expect(found("PL-023", { facts: { adapterRules: known([all]) } })).toEqual([
    "a later rule hides a rule of the adapter; http_requests comes from rules[1]",
  ]);
});

test("a metric with a Value target that comes to rest at it is not a number that calls for ever more", () => {
  // More load, more replicas, and the latency is at its target again.
  const settles = pastDecisions(12, (index) => ({
    current: 2 + Math.floor(index / 3),
    metrics: [{ total: 200 + (index % 3), ratio: 1 + (index % 3) / 200, withinTolerance: true }],
  }));
  const object = hpa({ spec: { metrics: [queue("Value", "200")] } });
  expect(found("PL-029", { object, facts: { history: known(settles) } })).toEqual([]);
});
