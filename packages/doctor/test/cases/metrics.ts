// Rules about requests, samples, and metrics.
import { known } from "../../src/index.ts";
import {
  ago,
  apiService,
  condition,
  cpu,
  cpuSamples,
  decisionOf,
  hpa,
  mainContainer,
  pastDecisions,
  pod,
  podsMetric,
  podsOf,
  queue,
} from "../world.ts";
import { type Case, external, facts, no, notFound, rule } from "./case.ts";

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
const keda = { service: { namespace: "keda", name: "keda-operator-metrics-apiserver" } };
const custom = hpa({ spec: { metrics: [podsMetric] } });
const blockedObject = hpa({ spec: { metrics: [cpu, queue("AverageValue")] } });
const blocked = known(
  decisionOf(blockedObject, {
    pods: podsOf(3),
    samples: [cpuSamples([100, 100, 100]), { error: "no such metric" }],
  }),
);
const sized = (count: number) => (index: number) => ({
  current: 2 + (index % count),
  metrics: [{ total: 90, ratio: 3, withinTolerance: false }],
});

export const metrics: Readonly<Record<string, Case>> = {
  "PL-014": {
    positive: facts({ pods: known(podsOf(3, { containers: [mainContainer, proxy] })) }),
    says: [
      "a container has no cpu request",
      "container istio-proxy has no cpu request in 3 of 3 pods; it is injected",
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
    says: ["0.833 of the target × 4 ÷ 3 pods = 1.111, which is above 1"],
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
      "queue_depth is not a metric of a ScaledObject",
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
      "the metric http_requests exists, but has no sample",
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
    says: ["a query's range is shorter than two scrape intervals", "range 30s", "scraped every 30s"],
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
    says: ["queue_depth has unusable values", "sampled NaN", "in the status -9223372036854775808m"],
    negative: facts({ samples: known([{ samples: { values: [{ value: "0" }] } }]) }, external()),
    unreadable: facts({ samples: no }),
  },
  "PL-028": {
    positive: facts({ decision: blocked }, blockedObject),
    says: ["a failed metric blocks the scale-down", "failed: ", "the other metrics call for 1, and 3 stay"],
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
};
