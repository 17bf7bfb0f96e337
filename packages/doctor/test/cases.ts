// For each rule: a world in which it finds something, and what it says; one near to it, in which it does not; one in
// which it cannot know.
import type { FactReadings, Fields } from "../src/index.ts";
import { known, unknown } from "../src/index.ts";
import {
  ago,
  apiService,
  autoscaler,
  condition,
  cpu,
  cpuSamples,
  decisionOf,
  deployment,
  hpa,
  mainContainer,
  node,
  nowMs,
  pastDecisions,
  pendingPod,
  pod,
  podsMetric,
  podsOf,
  queue,
  type World,
  wla,
} from "./world.ts";

export interface Case {
  readonly positive: World;
  /** Parts of title and evidence. */
  readonly says: readonly string[];
  readonly negative: World;
  readonly unreadable: World;
}

const no = unknown("may not list it");
const facts = (changed: Partial<FactReadings>, object?: Fields): World => ({
  facts: changed,
  ...(object === undefined ? {} : { object }),
});

const event = (
  about: { kind: string; name: string },
  reason: string,
  message: string,
  rest: Fields = {},
): Fields => ({
  involvedObject: about,
  reason,
  message,
  count: 1,
  firstTimestamp: ago(10),
  lastTimestamp: ago(10),
  ...rest,
});
const aboutHpa = { kind: "HorizontalPodAutoscaler", name: "shop" };
const aboutTarget = { kind: "Deployment", name: "shop" };
const rescale = (replicas: number, minutes: number, why = "All metrics below target") =>
  event(aboutHpa, "SuccessfulRescale", `New size: ${replicas}; reason: ${why}`, {
    firstTimestamp: ago(minutes),
    lastTimestamp: ago(minutes),
  });

const targetOf = (object: Fields) => known({ found: true as const, object });
const owned = (manager: string, operation: string, subresource = "") => ({
  manager,
  operation,
  subresource,
  time: ago(20),
  fieldsV1: { "f:spec": { "f:replicas": {} } },
});
const resets = event(aboutTarget, "ScalingReplicaSet", "Scaled down replica set shop-5d89 from 8 to 2", {
  count: 3,
  firstTimestamp: ago(25),
});
const rolloutTarget = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "shop" };
const rollout = (scaleDown?: string, phase = "Healthy"): Fields => ({
  kind: "Rollout",
  metadata: { name: "shop", namespace: "default" },
  spec: { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop", scaleDown } },
  status: { phase },
});
const onRollout = hpa({ spec: { scaleTargetRef: rolloutTarget } });
const vpa = (updateMode: string, controlledResources?: readonly string[]): Fields => ({
  metadata: { name: "shop" },
  spec: {
    targetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    updatePolicy: { updateMode },
    ...(controlledResources === undefined
      ? {}
      : { resourcePolicy: { containerPolicies: [{ containerName: "*", controlledResources }] } }),
  },
});
const proxy = { name: "istio-proxy", resources: {} };
const containerMetric = (container: string) =>
  hpa({
    spec: {
      metrics: [
        {
          type: "ContainerResource",
          containerResource: {
            name: "cpu",
            container,
            target: { type: "Utilization", averageUtilization: 60 },
          },
        },
      ],
    },
  });
const sidecar = { name: "cache", resources: { requests: { cpu: "600m" } } };
const twoContainers = podsOf(3, { containers: [mainContainer, sidecar] });
const usageOfTwo = (main: number, cache: number) =>
  known([
    {
      samples: {
        pods: twoContainers.map((_, index) => ({
          name: `shop-5d89-${index}`,
          timestamp: ago(0.5),
          windowSeconds: 30,
          containers: { main: { cpu: `${main}m` }, cache: { cpu: `${cache}m` } },
        })),
      },
    },
  ]);
const decided = (milli: readonly number[], object = hpa()) =>
  known(
    decisionOf(object, { pods: podsOf(milli.length), samples: [cpuSamples(milli)], replicas: milli.length }),
  );
const external = (type: "Value" | "AverageValue" = "AverageValue") =>
  hpa({ spec: { metrics: [queue(type)] } });
const keda = { service: { namespace: "keda", name: "keda-operator-metrics-apiserver" } };
const custom = hpa({ spec: { metrics: [podsMetric] } });
const notFound = (name: string) => [
  { samples: { error: `the server could not find the metric ${name} for pods` } },
];
const rule = {
  path: "rules[0]",
  seriesQuery: "http_requests_total",
  metrics: ["http_requests"],
  listed: ["pods/http_requests"],
  shadowed: [],
  problem: undefined,
  rangesMs: [120_000],
  scrapeIntervalMs: 30_000,
  labels: ["exported_namespace", "exported_pod"],
};
const metricRule = (
  changes: { spec?: Fields; conditions?: readonly Fields[]; minutes?: number } = {},
): Fields => ({
  kind: "MetricRule",
  metadata: { name: "http_requests", namespace: "default", creationTimestamp: ago(changes.minutes ?? 60) },
  spec: { type: "Pods", query: "sum by (pod) (rate(http_requests_total[2m]))", ...changes.spec },
  status: {
    conditions: changes.conditions ?? [
      condition("Accepted", "True", "Accepted"),
      condition("Resolved", "True", "Resolved"),
    ],
  },
});
const refused = [condition("Accepted", "False", "NamespaceMatcher")];
const note = (check: string, text: string) => ({ service: "plimsoll/metrics-adapter", check, text });
const withQuery = (more: Fields = {}): Fields =>
  wla({
    spec: {
      metrics: [
        {
          type: "Query",
          query: {
            promql: "sum(rate(a[2m]))",
            target: { type: "AverageValue", averageValue: "1" },
            ...more,
          },
        },
      ],
    },
  });
const blockedObject = hpa({ spec: { metrics: [cpu, queue("AverageValue")] } });
const blocked = known(
  decisionOf(blockedObject, {
    pods: podsOf(3),
    samples: [cpuSamples([100, 100, 100]), { error: "no such metric" }],
  }),
);
const limited = (reason: string, minutes: number) =>
  hpa({
    status: { currentReplicas: 10, desiredReplicas: 10 },
    conditions: [condition("ScalingLimited", "True", reason, { lastTransitionTime: ago(minutes) })],
  });
const budget = (spec: Fields): Fields => ({
  metadata: { name: "shop" },
  spec: { selector: { matchLabels: { app: "shop" } }, ...spec },
});
const disabled = (minutes: number) =>
  hpa({
    metadata: {
      managedFields: [
        {
          manager: "helm",
          operation: "Update",
          time: ago(minutes),
          fieldsV1: { "f:spec": { "f:behavior": { "f:scaleDown": { "f:selectPolicy": {} } } } },
        },
      ],
    },
    spec: { behavior: { scaleDown: { selectPolicy: "Disabled" } } },
  });
const rolling = { target: targetOf(deployment({ status: { replicas: 5, updatedReplicas: 2 } })) };
const surging = [...podsOf(3), pendingPod(3), pendingPod(4)];
const scheduled = (...schedules: readonly Fields[]) => wla({ spec: { schedules } });
const nightly = { name: "night", timeZone: "UTC", start: "0 22 * * *", duration: "2h", replicas: 5 };
const scaledObject = (
  changes: { metadata?: Fields; spec?: Fields; conditions?: readonly Fields[] } = {},
): Fields => ({
  kind: "ScaledObject",
  metadata: { name: "shop", namespace: "default", ...changes.metadata },
  spec: { scaleTargetRef: { name: "shop" }, ...changes.spec },
  status: {
    hpaName: "shop",
    conditions: changes.conditions ?? [condition("Ready", "True", "ScaledObjectReady")],
  },
});
const noMetrics = (minutes: number) =>
  hpa({
    conditions: [
      condition("ScalingActive", "False", "FailedGetExternalMetric", { lastTransitionTime: ago(minutes) }),
    ],
  });
const paused = (minutes: number, pause: Fields = { reason: "incident" }) =>
  wla({
    spec: { mode: "Paused", pause },
    conditions: [condition("Paused", "True", "Paused", { lastTransitionTime: ago(minutes) })],
  });
const lease = (renewedMinutes: number): Fields => ({
  metadata: { name: "plimsoll-autoscaler" },
  spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: ago(renewedMinutes) },
});
const installed = (renewedMinutes: number) =>
  known({
    leases: [lease(renewedMinutes)],
    missingFields: [],
    newestDecision: { atMs: nowMs - 10_000, periodMs: 15_000 },
  });
const selection = (name: string, pods: readonly string[], targetName = name) => ({
  object: autoscaler(
    hpa({ name, spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: targetName } } }),
  ),
  selector: "tier=web",
  pods,
});
const sized = (count: number) => (index: number) => ({
  current: 2 + (index % count),
  metrics: [{ total: 90, ratio: 3, withinTolerance: false }],
});

export const cases: Readonly<Record<string, Case>> = {
  "PL-001": {
    positive: facts({ hpas: known([autoscaler(hpa()), autoscaler(hpa({ name: "shop-2" }))]) }),
    says: ["default/shop scales Deployment/shop", "default/shop-2 scales Deployment/shop"],
    negative: facts({
      hpas: known([
        autoscaler(hpa()),
        autoscaler(hpa({ name: "cart", spec: { scaleTargetRef: { kind: "Deployment", name: "cart" } } })),
      ]),
    }),
    unreadable: facts({ hpas: no }),
  },
  "PL-002": {
    positive: facts({
      selections: known([selection("shop", ["shop-5d89-0"]), selection("web", ["shop-5d89-0", "web-1"])]),
    }),
    says: ["default/web selects tier=web", "1 pod of both: shop-5d89-0"],
    negative: facts({ selections: known([selection("shop", ["shop-5d89-0"]), selection("web", ["web-1"])]) }),
    unreadable: facts({ selections: no }),
  },
  "PL-003": {
    positive: facts({ scaledObjects: known([{ ...scaledObject(), status: {} }]) }),
    says: ["a ScaledObject scales the same target", "ScaledObject shop scales Deployment/shop"],
    negative: facts({
      scaledObjects: known([scaledObject()]),
      wlas: known([autoscaler(wla({ spec: { mode: "Shadow" } }))]),
    }),
    unreadable: facts({ scaledObjects: no }),
  },
  "PL-004": {
    positive: facts({
      cronHpas: known([
        {
          metadata: { name: "night" },
          spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" } },
        },
      ]),
    }),
    says: ["CronHorizontalPodAutoscaler night scales Deployment/shop"],
    negative: facts({
      cronHpas: known([
        {
          metadata: { name: "night" },
          spec: { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: "shop" } },
        },
      ]),
    }),
    unreadable: facts({ cronHpas: no }),
  },
  "PL-005": {
    positive: facts({ events: known([event(aboutHpa, "ForeignWriter", "argocd writes the replicas")]) }),
    says: ["ForeignWriter at 09:50 argocd writes the replicas"],
    negative: facts({
      events: known([event({ ...aboutHpa, name: "cart" }, "ForeignWriter", "argocd writes the replicas")]),
    }),
    unreadable: facts({ events: no }),
  },
  "PL-006": {
    positive: facts({
      target: targetOf(
        deployment({
          metadata: {
            annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"spec":{"replicas":4}}' },
          },
        }),
      ),
    }),
    says: ["the applied manifest has replicas: 4"],
    negative: facts({
      target: targetOf(
        deployment({
          metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"spec":{}}' } },
        }),
      ),
    }),
    unreadable: facts({ target: no }),
  },
  "PL-007": {
    positive: facts({
      target: targetOf(deployment({ metadata: { managedFields: [owned("argocd-controller", "Apply")] } })),
      events: known([rescale(8, 20, "cpu above target"), resets]),
    }),
    says: ["argocd-controller (Apply) owns .spec.replicas", "it changed 8 -> 2 at 09:35, …, 09:50 (3 times)"],
    negative: facts({
      target: targetOf(
        deployment({
          metadata: {
            managedFields: [
              owned("kube-controller-manager", "Update", "scale"),
              owned("kubectl-create", "Update"),
            ],
          },
        }),
      ),
      events: known([rescale(2, 20), { ...resets, count: 1 }]),
    }),
    unreadable: facts({ target: no }),
  },
  "PL-008": {
    positive: facts({ rollouts: known([rollout()]), target: targetOf(rollout()) }, onRollout),
    says: ["Deployment shop has replicas: 3", "Rollout shop has scaleDown: never"],
    negative: facts(
      { rollouts: known([rollout("progressively", "Progressing")]), target: targetOf(rollout()) },
      onRollout,
    ),
    unreadable: facts({ rollouts: no }),
  },
  "PL-009": {
    positive: facts({ vpas: known([vpa("Recreate")]) }),
    says: [
      "VerticalPodAutoscaler shop (Recreate) sets requests of cpu",
      "default/shop scales by the utilization of cpu",
    ],
    negative: facts({ vpas: known([vpa("Off"), vpa("Recreate", ["memory"])]) }),
    unreadable: facts({ vpas: no }),
  },
  "PL-010": {
    positive: facts({
      target: known({
        found: false,
        message: 'deployments.apps "shop" not found',
        isUnknownKind: false,
        candidates: ["Deployment/shop2"],
      }),
      scale: no,
    }),
    says: [
      "the target does not exist",
      'Deployment/shop deployments.apps "shop" not found',
      "there is Deployment/shop2",
    ],
    negative: facts({}),
    unreadable: facts({ target: no }),
  },
  "PL-011": {
    positive: facts({
      scale: known({ found: true, specReplicas: 3, statusReplicas: 3, selector: "" }),
      selectorPath: known(""),
    }),
    says: ["the target's scale has no selector", "labelSelectorPath is not set"],
    negative: facts({
      scale: known({ found: true, specReplicas: 3, statusReplicas: 3, selector: "a in (b,c)" }),
    }),
    unreadable: facts({ scale: no }),
  },
  "PL-012": {
    positive: facts({
      pods: known([...podsOf(3), pod(9, { owner: { kind: "Job", name: "backup", controller: true } })]),
    }),
    says: ["Job/backup owns 1 pod: shop-5d89-9"],
    negative: facts({
      pods: known([
        ...podsOf(3),
        pod(9, {
          labels: { "pod-template-hash": "77aa" },
          owner: { kind: "ReplicaSet", name: "shop-77aa", controller: true },
        }),
      ]),
    }),
    unreadable: facts({ pods: no }),
  },
  "PL-013": {
    positive: facts({
      scale: known({ found: true, specReplicas: 0, statusReplicas: 0, selector: "app=shop" }),
      target: targetOf(deployment({ metadata: { managedFields: [owned("kubectl", "Update", "scale")] } })),
    }),
    says: ["spec.replicas 0", "kubectl (Update) set it at 09:40"],
    negative: facts(
      { scale: known({ found: true, specReplicas: 0, statusReplicas: 0, selector: "app=shop" }) },
      hpa({ spec: { minReplicas: 0 } }),
    ),
    unreadable: facts({ scale: no }),
  },
  "PL-014": {
    positive: facts({ pods: known(podsOf(3, { containers: [mainContainer, proxy] })) }),
    says: [
      "a container requests no cpu",
      "container istio-proxy requests no cpu in 3 of 3 pods; it is injected",
    ],
    negative: facts(
      { pods: known(podsOf(3, { containers: [mainContainer, proxy] })) },
      containerMetric("main"),
    ),
    unreadable: facts({ pods: no }),
  },
  "PL-015": {
    positive: facts({}, containerMetric("mian")),
    says: ["container mian is in no pod", "the pods have main"],
    negative: facts({}, containerMetric("main")),
    unreadable: facts({ pods: no }, containerMetric("mian")),
  },
  "PL-016": {
    positive: facts({ pods: known(twoContainers), samples: usageOfTwo(490, 60) }),
    says: [
      "container cache hides how busy main is",
      "container cache has 55% of the cpu requests and uses 10% of them",
    ],
    negative: facts({ pods: known(twoContainers), samples: usageOfTwo(490, 300) }),
    unreadable: facts({ pods: known(twoContainers), samples: no }),
  },
  "PL-017": {
    positive: facts({ decision: decided([250, 250, 250, 250]) }),
    says: ["0.833 of the target × 4 ÷ 3 pods = 1.11, which is above 1"],
    negative: facts({ decision: decided([100, 100, 100, 100]) }),
    unreadable: facts({ decision: no }),
  },
  "PL-018": {
    positive: facts({
      apiServices: known([
        apiService("metrics.k8s.io", {
          conditions: [condition("Available", "False", "MissingEndpoints", { lastTransitionTime: ago(20) })],
        }),
      ]),
    }),
    says: ["Available MissingEndpoints for 20m: message of MissingEndpoints", "needed by default/shop"],
    negative: facts({
      apiServices: known([
        apiService("metrics.k8s.io"),
        apiService("custom.metrics.k8s.io", { conditions: [condition("Available", "False", "x")] }),
      ]),
    }),
    unreadable: facts({ apiServices: no }),
  },
  "PL-019": {
    positive: facts(
      {
        apiServices: known([apiService("external.metrics.k8s.io", { spec: keda })]),
        samples: known(notFound("queue_depth")),
      },
      external(),
    ),
    says: [
      "v1beta1.external.metrics.k8s.io belongs to keda/keda-operator-metrics-apiserver",
      "queue_depth is no metric of a ScaledObject",
    ],
    negative: facts({ apiServices: known([apiService("external.metrics.k8s.io")]) }, external()),
    unreadable: facts({ apiServices: no }, external()),
  },
  "PL-020": {
    positive: facts({
      apiServices: known([
        apiService("metrics.k8s.io", { spec: { caBundle: "Zm9v", insecureSkipTLSVerify: true } }),
      ]),
    }),
    says: ["caBundle and insecureSkipTLSVerify are both set"],
    negative: facts({
      apiServices: known([apiService("metrics.k8s.io", { spec: { insecureSkipTLSVerify: true } })]),
    }),
    unreadable: facts({ apiServices: no }),
  },
  "PL-021": {
    positive: facts(
      { samples: known(notFound("http_requests")), customMetrics: known(["pods/http_request"]) },
      custom,
    ),
    says: ["the metric http_requests is not served", "served are http_request"],
    negative: facts({ samples: known([{ samples: { error: "context deadline exceeded" } }]) }, custom),
    unreadable: facts({ samples: no }, custom),
  },
  "PL-022": {
    positive: facts({ samples: known([{ samples: { pods: [] } }]), adapterRules: known([rule]) }, custom),
    says: [
      "the metric http_requests is served, without a sample",
      "no sample for any of 3 ready pods",
      "have the labels exported_namespace, exported_pod",
    ],
    negative: facts(
      { samples: known([{ samples: { pods: [] } }]), pods: known(podsOf(3, { createdAt: ago(1) })) },
      custom,
    ),
    unreadable: facts({ samples: no }, custom),
  },
  "PL-023": {
    positive: facts({ adapterRules: known([{ ...rule, metrics: [] }]) }),
    says: ["a rule of the adapter finds no series", "http_requests_total 0 series"],
    negative: facts({ adapterRules: known([rule]) }),
    unreadable: facts({ adapterRules: no }),
  },
  "PL-024": {
    positive: facts({ samples: known([{ samples: cpuSamples([300, 300]) }]), history: no }),
    says: [
      "33% of the ready pods have no sample of cpu",
      "cpu has no sample of 1 of 3 ready pods: shop-5d89-2",
    ],
    negative: facts({
      samples: known([{ samples: cpuSamples([300, 300]) }]),
      pods: known([...podsOf(2), pod(2, { createdAt: ago(1) })]),
      history: no,
    }),
    unreadable: facts({ samples: no }),
  },
  "PL-025": {
    positive: facts({ samples: known([{ samples: cpuSamples([300, 300, 300], ago(5)) }]) }),
    says: ["the newest sample of cpu is 5m old"],
    negative: facts({ samples: known([{ samples: cpuSamples([300, 300, 300], ago(1.5)) }]) }),
    unreadable: facts({ history: no }),
  },
  "PL-026": {
    positive: facts({ adapterRules: known([{ ...rule, rangesMs: [30_000] }]) }),
    says: ["a range of a query is shorter than two scrapes", "range 30s", "scraped every 30s"],
    negative: facts({ adapterRules: known([rule]) }),
    unreadable: facts({ adapterRules: no }),
  },
  "PL-027": {
    positive: facts(
      {
        samples: known([{ samples: { error: 'the value of metric queue_depth is not a quantity: "NaN"' } }]),
      },
      hpa({
        spec: { metrics: [queue("AverageValue")] },
        status: {
          currentMetrics: [
            {
              type: "External",
              external: {
                metric: { name: "queue_depth" },
                current: { averageValue: "-9223372036854775808m" },
              },
            },
          ],
        },
      }),
    ),
    says: [
      "queue_depth has values that are no usable numbers",
      "sampled NaN",
      "in the status -9223372036854775808m",
    ],
    negative: facts({ samples: known([{ samples: { values: [{ value: "0" }] } }]) }, external()),
    unreadable: facts({ samples: no }),
  },
  "PL-028": {
    positive: facts({ decision: blocked }, blockedObject),
    says: ["a failed metric forbids the scale-down", "failed: ", "the other metrics propose 1, and 3 stay"],
    negative: facts({}, blockedObject),
    unreadable: facts({ decision: no }, blockedObject),
  },
  "PL-029": {
    positive: facts({ history: known(pastDecisions(12, sized(4))) }, external("Value")),
    says: ["queue_depth has a Value target and does not fall with more replicas"],
    negative: facts(
      {
        history: known(
          pastDecisions(12, (index) => ({
            current: 2 + (index % 4),
            metrics: [{ total: 90 / (2 + (index % 4)), ratio: 2, withinTolerance: false }],
          })),
        ),
      },
      external("Value"),
    ),
    unreadable: facts({ history: no }, external("Value")),
  },
  "PL-030": {
    positive: facts(
      {
        decision: known(
          decisionOf(limited("TooManyReplicas", 22), {
            pods: podsOf(10),
            samples: [cpuSamples(Array.from({ length: 10 }, () => 480))],
            replicas: 10,
          }),
        ),
      },
      limited("TooManyReplicas", 22),
    ),
    says: ["at maxReplicas for 22m while 16 are proposed", "cpu 96% / 60%", "maxReplicas 10"],
    negative: facts({}, limited("TooManyReplicas", 14)),
    unreadable: facts({ decision: no }, limited("TooManyReplicas", 14)),
  },
  "PL-031": {
    positive: facts({}, hpa({ spec: { minReplicas: 3, maxReplicas: 3 } })),
    says: ["minReplicas and maxReplicas are both 3"],
    negative: facts({}, scheduled(nightly)),
    unreadable: facts({}),
  },
  "PL-032": {
    positive: facts({}, limited("TooFewReplicas", 60)),
    says: ["ScalingLimited of default/shop says TooFewReplicas"],
    negative: facts({}, limited("ScaleDownLimit", 60)),
    unreadable: facts({}),
  },
  "PL-033": {
    positive: facts(
      { pods: known([...podsOf(3), pendingPod(3), pendingPod(4)]), decision: no },
      hpa({ status: { desiredReplicas: 5 } }),
    ),
    says: [
      "2 pods do not start, while 5 are wanted and 3 are ready",
      "2 pods Unschedulable: 0/5 nodes are available",
    ],
    negative: facts(
      { pods: known([...podsOf(3), pendingPod(3)]), decision: no },
      hpa({ status: { desiredReplicas: 3 } }),
    ),
    unreadable: facts({ pods: no }),
  },
  "PL-034": {
    positive: facts({
      target: targetOf(
        deployment({
          status: {
            conditions: [
              condition("ReplicaFailure", "True", "FailedCreate", {
                message: "pods is forbidden: exceeded quota: team",
              }),
            ],
          },
        }),
      ),
    }),
    says: ["FailedCreate pods is forbidden: exceeded quota: team"],
    negative: facts({
      target: targetOf(
        deployment({ status: { conditions: [condition("ReplicaFailure", "True", "FailedCreate")] } }),
      ),
    }),
    unreadable: facts({ target: no }),
  },
  "PL-035": {
    positive: facts({
      quotas: known([{ metadata: { name: "team" }, spec: { hard: { "requests.cpu": "4" } } }]),
    }),
    says: ["maxReplicas would need more cpu than there is", "cpu 10 × 500m = 5", "quota team allows 4"],
    negative: facts({
      quotas: known([
        { metadata: { name: "team" }, spec: { hard: { "requests.cpu": "4" }, scopes: ["BestEffort"] } },
      ]),
      nodes: known([node("1", { "karpenter.sh/nodepool": "x" })]),
    }),
    unreadable: facts({ quotas: no }),
  },
  "PL-036": {
    positive: facts({ pdbs: known([budget({ minAvailable: 2 })]) }),
    says: ["PodDisruptionBudget shop has minAvailable: 2", "minReplicas 2"],
    negative: facts({
      pdbs: known([
        budget({ minAvailable: "50%" }),
        {
          ...budget({ minAvailable: 2 }),
          spec: { minAvailable: 2, selector: { matchLabels: { app: "cart" } } },
        },
      ]),
    }),
    unreadable: facts({ pdbs: no }),
  },
  "PL-037": {
    positive: facts({
      events: known([
        rescale(3, 28),
        rescale(6, 24, "cpu above target"),
        rescale(3, 18),
        rescale(6, 12, "cpu above target"),
        rescale(3, 6),
      ]),
    }),
    says: [
      "the replicas changed direction 4 times in 30m",
      "turns 6 at 09:36, 3 at 09:42, 6 at 09:48, 3 at 09:54",
    ],
    negative: facts({
      events: known([
        rescale(3, 28),
        rescale(6, 24, "cpu above target"),
        rescale(8, 18, "cpu above target"),
        rescale(5, 6),
      ]),
    }),
    unreadable: facts({ events: no, history: no }),
  },
  "PL-038": {
    positive: facts({}, disabled(8 * 1440)),
    says: ["scaling down is disabled for 8d"],
    negative: facts({}, disabled(6 * 1440)),
    unreadable: facts(
      {},
      hpa({
        metadata: { creationTimestamp: undefined },
        spec: { behavior: { scaleUp: { selectPolicy: "Disabled" } } },
      }),
    ),
  },
  "PL-039": {
    positive: facts({ history: known(pastDecisions(70, () => ({ metrics: [{ ratio: 1.08 }] }))) }),
    says: ["cpu is at 1.08 of its target, within the tolerance for 60m"],
    negative: facts({
      history: known(pastDecisions(70, (index) => ({ metrics: [{ ratio: index === 40 ? 1.03 : 1.08 }] }))),
    }),
    unreadable: facts({ history: known(pastDecisions(20)) }),
  },
  "PL-040": {
    positive: facts(
      {
        decision: known(
          decisionOf(
            hpa(),
            { pods: podsOf(3), samples: [cpuSamples([100, 100, 100])] },
            {
              recommendations: [{ replicas: 3, atMs: nowMs - 120_000 }],
              scaleUpEvents: [],
              scaleDownEvents: [],
            },
          ),
        ),
      },
      hpa({ conditions: [condition("AbleToScale", "True", "ScaleDownStabilized")] }),
    ),
    says: [
      "the replicas are held until 10:03:00 at the earliest",
      "held by a recommendation of 3 of 09:58:00, window 300s",
    ],
    negative: facts({}),
    unreadable: facts({ decision: no }),
  },
  "PL-041": {
    positive: facts({
      ...rolling,
      pods: known(surging),
      decision: known(decisionOf(hpa(), { pods: podsOf(3), samples: [cpuSamples([480, 480, 480])] })),
    }),
    says: ["a rollout inflates the proposal to 5", "2 pods are unready or surge, 67% of 3 replicas"],
    negative: facts({ ...rolling, pods: known(surging) }),
    unreadable: facts({ target: no }),
  },
  "PL-042": {
    positive: facts({}, scheduled(nightly, { ...nightly, name: "late", start: "0 23 * * *", replicas: 8 })),
    says: [
      "the schedules night and late contradict each other",
      "overlap with different replicas at 2026-11-22T23:00Z",
    ],
    negative: facts({}, scheduled(nightly, { ...nightly, name: "late", start: "30 0 * * *", replicas: 8 })),
    unreadable: facts({ scaledObjects: no }),
  },
  "PL-043": {
    positive: facts(
      {},
      wla({ spec: { schedules: [nightly], behavior: { scaleDown: { stabilizationWindowSeconds: 1800 } } } }),
    ),
    says: ["after a schedule ends, its replicas stay for 30m"],
    negative: facts({}, scheduled(nightly)),
    unreadable: facts({ scaledObjects: no }),
  },
  "PL-044": {
    positive: facts({}, paused(3000)),
    says: ["paused for 2d, without an end", "mode is Paused for 2d: incident"],
    negative: facts({}, paused(3000, { until: "2026-12-01T00:00:00Z" })),
    unreadable: facts({}, wla({ spec: { mode: "Paused" } })),
  },
  "PL-045": {
    positive: facts({ scaledObjects: known([scaledObject()]) }, noMetrics(12)),
    says: ["has had no metrics for 12m", "ScaledObject shop is Ready", "FailedGetExternalMetric"],
    negative: facts({ scaledObjects: known([scaledObject()]) }, noMetrics(8)),
    unreadable: facts({ scaledObjects: no }, noMetrics(12)),
  },
  "PL-046": {
    positive: facts({ installation: installed(5) }),
    says: ["no replica of the autoscaler holds the lease", "not held plimsoll-autoscaler"],
    negative: facts({ installation: installed(0.1) }),
    unreadable: facts({ installation: no }),
  },
  "PL-047": {
    positive: facts({ metricRules: known([metricRule({ conditions: refused })]) }),
    says: ["the MetricRule is refused: NamespaceMatcher", "message of NamespaceMatcher"],
    negative: facts({ metricRules: known([metricRule(), metricRule({ conditions: [], minutes: 1 })]) }),
    unreadable: facts({ metricRules: no }),
  },
  "PL-048": {
    positive: facts({
      adapterNotes: known([note("backends", "backends that are down: keda: it does not respond")]),
    }),
    says: ["a backend of the metrics adapter is down", "keda: it does not respond"],
    negative: facts({ adapterNotes: known([note("something", "else")]) }),
    unreadable: facts({ adapterNotes: no }),
  },
  "PL-049": {
    positive: facts({ metricRules: known([metricRule()]), adapterRules: known([rule]) }),
    says: ["hides pods/http_requests of the rules file in its namespace", "given by rules[0] too"],
    negative: facts({
      metricRules: known([
        metricRule({ spec: { type: "External" } }),
        metricRule({ spec: { type: "Object", object: { resource: "services", label: "service" } } }),
        metricRule({ spec: { metric: "other" } }),
        metricRule({ conditions: refused }),
      ]),
      adapterRules: known([rule]),
    }),
    unreadable: facts({ adapterRules: no }),
  },
  "PL-050": {
    positive: facts(
      {
        apiServices: known([
          apiService("external.metrics.k8s.io", { spec: { service: { namespace: "keda", name: "keda" } } }),
        ]),
      },
      withQuery(),
    ),
    says: ["a query is asked for at external.metrics.k8s.io", "belongs to keda/keda"],
    negative: facts(
      {
        apiServices: known([
          apiService("custom.metrics.k8s.io"),
          apiService("external.metrics.k8s.io", { spec: { service: { namespace: "keda", name: "keda" } } }),
        ]),
      },
      withQuery({ podLabel: "pod" }),
    ),
    unreadable: facts({ adapterServices: no }, withQuery()),
  },
};
