// Clusters in which nothing is wrong, near to those that a rule is about.
import { expect, test } from "vitest";
import { type Fields, known } from "../src/index.ts";
import {
  ago,
  apiService,
  condition,
  cpuSamples,
  decisionOf,
  deployment,
  examine,
  hpa,
  node,
  pastDecisions,
  pendingPod,
  pod,
  podsOf,
  queue,
  said,
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
    ["warn", "the MetricRule gives no value: NoSeries", "rate"],
    ["error", "no metrics adapter has read the MetricRule", "rate"],
  ]);
});

test("a query is found where the API has no APIService at all", () => {
  const metrics = [{ type: "Query", query: { promql: "up", target: { type: "Value", value: "1" } } }];
  expect(found("PL-050", { object: wla({ spec: { metrics } }), facts: { apiServices: known([]) } })).toEqual([
    expect.stringContaining("external.metrics.k8s.io has no APIService"),
  ]);
});

function found(id: string, world: World): readonly string[] {
  return examine(id, world).findings.map(said);
}

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

test("pods of two revisions of a kind that is not known are no pods of others", () => {
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

test("a general rule behind a special one gives metrics of its own", () => {
  const rule = {
    path: "rules[1]",
    seriesQuery: '{namespace!=""}',
    metrics: ["http_requests", "queue_depth"],
    listed: [],
    shadowed: [{ metric: "http_requests", by: "rules[0]" }],
    problem: undefined,
    rangesMs: [],
    scrapeIntervalMs: undefined,
    labels: [],
  };
  expect(found("PL-023", { facts: { adapterRules: known([rule]) } })).toEqual([]);
  const all = { ...rule, metrics: ["http_requests"] };
  expect(found("PL-023", { facts: { adapterRules: known([all]) } })).toEqual([
    "a rule of the adapter is shadowed by an earlier one; http_requests comes from rules[0]",
  ]);
});

test("a metric with a Value target that comes to rest at it is no number that asks for ever more", () => {
  // More load, more replicas, and the latency is at its target again.
  const settles = pastDecisions(12, (index) => ({
    current: 2 + Math.floor(index / 3),
    metrics: [{ total: 200 + (index % 3), ratio: 1 + (index % 3) / 200, withinTolerance: true }],
  }));
  const object = hpa({ spec: { metrics: [queue("Value", "200")] } });
  expect(found("PL-029", { object, facts: { history: known(settles) } })).toEqual([]);
});

test("replicas that reached the maximum just now are not at it for as long as they are limited", () => {
  // ScalingLimited keeps its time when its reason changes from TooFewReplicas.
  const limited = (lastScaleTime: string) =>
    hpa({
      status: { currentReplicas: 10, desiredReplicas: 10, lastScaleTime },
      conditions: [condition("ScalingLimited", "True", "TooManyReplicas", { lastTransitionTime: ago(300) })],
    });
  const decision = known(
    decisionOf(limited(ago(1)), {
      pods: podsOf(10),
      samples: [cpuSamples(Array.from({ length: 10 }, () => 480))],
      replicas: 10,
    }),
  );
  expect(found("PL-030", { object: limited(ago(1)), facts: { decision } })).toEqual([]);
  expect(found("PL-030", { object: limited(ago(20)), facts: { decision } }).join()).toMatch(
    /^at maxReplicas for 20m /,
  );
});

test("a quota that refused pods some time ago, which run now, refuses none", () => {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "shop" };
  const event = {
    involvedObject: { kind: "StatefulSet", name: "shop" },
    reason: "FailedCreate",
    message: "create Pod shop-2 in StatefulSet shop failed error: exceeded quota: team",
    lastTimestamp: ago(50),
  };
  const refused = (replicas: number): World => ({
    object: hpa({ spec: { scaleTargetRef } }),
    facts: {
      events: known([event]),
      target: known({ found: true, object: { spec: { replicas: 3 }, status: { replicas } } }),
    },
  });
  expect(found("PL-034", refused(3))).toEqual([]);
  expect(found("PL-034", refused(2))).toHaveLength(1);
});

test("a disruption budget over several workloads lets pods of one go while others run", () => {
  const budget = (expectedPods: number): World => ({
    facts: {
      pdbs: known([
        {
          metadata: { name: "tier" },
          spec: { minAvailable: 2, selector: { matchLabels: { app: "shop" } } },
          status: { expectedPods },
        },
      ]),
    },
  });
  // Three pods of the object, which may fall to two.
  expect(found("PL-036", budget(6))).toEqual([]);
  expect(found("PL-036", budget(3))).toHaveLength(1);
});

test("a scale-up of a kind that counts no updated replicas is no rollout", () => {
  const pods = [...podsOf(3), pendingPod(3), pendingPod(4)];
  const decision = known(decisionOf(hpa(), { pods: podsOf(3), samples: [cpuSamples([480, 480, 480])] }));
  const custom = known({ found: true as const, object: { spec: { replicas: 5 }, status: { replicas: 5 } } });
  const object = hpa({
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "shop" } },
  });
  expect(found("PL-041", { object, facts: { pods: known(pods), decision, target: custom } })).toEqual([]);
});

test("schedules that a calendar keeps apart are no contradiction, and are said to be unchecked", () => {
  const base = { timeZone: "UTC", start: "0 8 * * *", duration: "8h" };
  const usual = { ...base, name: "usual", replicas: 5, exclusions: [{ calendarName: "holidays.ics" }] };
  const holidays = { ...base, name: "holidays", replicas: 2 };
  const examined = examine("PL-042", { object: wla({ spec: { schedules: [usual, holidays] } }) });
  expect(examined.findings.map(said)).toEqual([]);
  expect(examined.skipped.map(({ reason }) => reason)).toEqual(["what a calendar excludes is not looked at"]);
  const third = { ...holidays, name: "third", replicas: 3 };
  const object = wla({ spec: { schedules: [usual, holidays, third] } });
  expect(found("PL-042", { object }).join()).toMatch(
    /^the schedules holidays and third contradict each other/,
  );
});

test("a lease that an earlier installation left behind is no failure of the one that runs", () => {
  const lease = (namespace: string, renewTime: string): Fields => ({
    metadata: { name: "plimsoll-autoscaler", namespace },
    spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime },
  });
  const installation = (...leases: readonly Fields[]): World => ({
    facts: { installation: known({ leases, missingFields: [], newestDecision: undefined }) },
  });
  expect(found("PL-046", installation(lease("old", ago(9000)), lease("new", ago(0.1))))).toEqual([]);
  expect(found("PL-046", installation(lease("old", ago(9000)), lease("new", ago(5))))).toHaveLength(1);
});

test("a VerticalPodAutoscaler of a sidecar does not change the requests of the main container", () => {
  const target = { type: "Utilization", averageUtilization: 60 };
  const containerResource = { name: "cpu", container: "main", target };
  const object = hpa({ spec: { metrics: [{ type: "ContainerResource", containerResource }] } });
  const vpa = (...containerPolicies: readonly Fields[]): World => ({
    object,
    facts: {
      vpas: known([
        {
          metadata: { name: "sidecar" },
          spec: {
            targetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
            resourcePolicy: { containerPolicies },
          },
        },
      ]),
    },
  });
  const off = { containerName: "*", mode: "Off" };
  expect(found("PL-009", vpa({ containerName: "proxy", mode: "Auto" }, off))).toEqual([]);
  expect(found("PL-009", vpa({ containerName: "main", controlledResources: ["memory"] }))).toEqual([]);
  expect(found("PL-009", vpa({ containerName: "main", mode: "Auto" }, off))).toHaveLength(1);
  // One without a policy gets recommendations of cpu and memory.
  expect(found("PL-009", vpa({ containerName: "proxy", mode: "Off" }))).toHaveLength(1);
});

test("a container that idles beside another idle one hides nothing", () => {
  const containers = [
    { name: "main", resources: { requests: { cpu: "500m" } } },
    { name: "cache", resources: { requests: { cpu: "600m" } } },
  ];
  const pods = podsOf(3, { containers });
  const usage = (main: string) =>
    known([
      {
        samples: {
          pods: pods.map((_, index) => ({
            name: `shop-5d89-${index}`,
            timestamp: ago(0.5),
            windowSeconds: 30,
            containers: { main: { cpu: main }, cache: { cpu: "10m" } },
          })),
        },
      },
    ]);
  expect(found("PL-016", { facts: { pods: known(pods), samples: usage("20m") } })).toEqual([]);
  expect(found("PL-016", { facts: { pods: known(pods), samples: usage("400m") } })).toHaveLength(1);
});

test("more than the present nodes hold is a note, since nodes may be added", () => {
  const severity = (facts: World["facts"]) =>
    examine("PL-035", { facts: facts ?? {} }).findings.map((one) => one.severity);
  expect(severity({ nodes: known([node("1")]) })).toEqual(["info"]);
  const quota = { metadata: { name: "team" }, spec: { hard: { "requests.cpu": "4" } } };
  expect(severity({ quotas: known([quota]) })).toEqual(["warn"]);
});

test("an object that was reclaimed after the foreign writer was found is managed again", () => {
  const event = {
    involvedObject: { kind: "HorizontalPodAutoscaler", name: "shop" },
    reason: "ForeignWriter",
    message: "argocd writes the replicas",
    lastTimestamp: ago(30),
  };
  const reclaimed = (minutes: number): World => ({
    object: hpa({
      metadata: {
        managedFields: [
          {
            manager: "kubectl-annotate",
            operation: "Update",
            time: ago(minutes),
            fieldsV1: { "f:metadata": { "f:annotations": { "f:autoscaling.plimsoll.dev/reclaim": {} } } },
          },
        ],
      },
    }),
    facts: { events: known([event]) },
  });
  expect(found("PL-005", reclaimed(20))).toEqual([]);
  expect(found("PL-005", reclaimed(40))).toHaveLength(1);
});

test("an error of TLS is none of the CA where the certificate is not verified", () => {
  const message = "Get https://10.0.0.9/apis: remote error: tls: certificate required";
  const unavailable = (spec: Fields): World => ({
    facts: {
      apiServices: known([
        apiService("metrics.k8s.io", {
          spec,
          conditions: [condition("Available", "False", "FailedDiscoveryCheck", { message })],
        }),
      ]),
    },
  });
  expect(found("PL-020", unavailable({ insecureSkipTLSVerify: true }))).toEqual([]);
  expect(found("PL-020", unavailable({ caBundle: "Zm9v" }))).toHaveLength(1);
});
