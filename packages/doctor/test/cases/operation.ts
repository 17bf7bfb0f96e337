// Rules about what else runs in the cluster, and about the rules of the adapter.
import type { Fields } from "@plimsoll/core/internal/values";
import { known } from "../../src/index.ts";
import {
  ago,
  apiService,
  condition,
  decisionOf,
  deployment,
  hpa,
  mainContainer,
  nowMs,
  podsOf,
  queue,
  wla,
} from "../world.ts";
import { type Case, external, facts, no, notFound, rule, scaledObject, targetOf } from "./case.ts";

const queueRule = { ...rule, path: "externalRules[2]", metrics: ["queue_depth"], listed: ["queue_depth"] };
const refusedByPrometheus =
  'unable to get external metric: Prometheus rejected the query: parse error: unexpected ","';
const topic = { matchLabels: { topic: "orders" } };
const withSelector = hpa({
  spec: {
    metrics: [
      {
        type: "External",
        external: {
          metric: { name: "queue_depth", selector: topic },
          target: { type: "AverageValue", averageValue: "10" },
        },
      },
    ],
  },
});
const unready = (ready: "True" | "False") =>
  podsOf(3, { status: { conditions: [{ type: "Ready", status: ready, lastTransitionTime: ago(20) }] } });
const byValue = hpa({ spec: { metrics: [queue("Value")] } });
const valueDecision = (ready: "True" | "False") =>
  decisionOf(byValue, { pods: unready(ready), samples: [{ values: [{ value: "90" }] }] });
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

const live = withQuery({ live: { port: "metrics" } });
export const livePods = (spec: Fields) => ({
  target: targetOf(deployment({ spec: { template: { spec: { containers: [mainContainer], ...spec } } } })),
  samples: known([{ samples: { error: "the pod shop-1 has not been read yet" } }]),
});
export const declaring = (name: string) => ({
  containers: [{ ...mainContainer, ports: [{ name, containerPort: 8080 }] }],
});
export const metricRule = (
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
export const bookNote = {
  namespace: "default",
  name: "http_requests",
  mistakes: ["the series are from ingress-nginx"],
  whyEmpty: "the label namespace is where Istio runs",
};
const note = (check: string, text: string) => ({ service: "plimsoll/metrics-adapter", check, text });
const noMetrics = (minutes: number) =>
  hpa({
    conditions: [
      condition("ScalingActive", "False", "FailedGetExternalMetric", { lastTransitionTime: ago(minutes) }),
    ],
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
function contradicting(type: string, field: string): Fields {
  const target = { type, [field]: "5" };
  return { type: "External", external: { metric: { name: "queue_depth" }, target } };
}

const ofIngress = hpa({
  spec: {
    metrics: [
      {
        type: "Object",
        object: {
          describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "web" },
          metric: { name: "requests-per-second" },
          target: { type: "AverageValue", averageValue: "100" },
        },
      },
    ],
  },
});
const front = {
  index: 0,
  kind: "Ingress",
  name: "web",
  classes: ["traefik (traefik.io/ingress-controller)"],
  servedBy: ["Traefik"],
  rule: "rules[0]",
  sources: ["ingress-nginx"],
};

const selecting = (expression: object) => {
  const metric = { name: "queue_depth", selector: { matchExpressions: [{ key: "tier", ...expression }] } };
  const external = { metric, target: { type: "AverageValue", averageValue: "5" } };
  return hpa({ spec: { metrics: [{ type: "External", external }] } });
};

export const operation: Readonly<Record<string, Case>> = {
  "PL-045": {
    positive: facts({ scaledObjects: known([scaledObject()]) }, noMetrics(12)),
    says: ["has had no metrics for 12m", "ScaledObject shop is Ready", "FailedGetExternalMetric"],
    negative: facts({ scaledObjects: known([scaledObject()]) }, noMetrics(8)),
    unreadable: facts({ scaledObjects: no }, noMetrics(12)),
  },
  "PL-046": {
    positive: facts({ installation: installed(5) }),
    says: ["no autoscaler replica holds the lease", "not held plimsoll-autoscaler"],
    negative: facts({ installation: installed(0.1) }),
    unreadable: facts({ installation: no }),
  },
  "PL-047": {
    positive: facts({ metricRules: known([metricRule({ conditions: refused })]) }),
    says: ["the MetricRule was rejected: NamespaceMatcher", "message of NamespaceMatcher"],
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
    says: ["hides pods/http_requests of the rules file in its namespace", "also defined by rules[0]"],
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
    says: ["a query needs external.metrics.k8s.io", "belongs to keda/keda"],
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
  "PL-051": {
    positive: facts(
      { samples: known([{ samples: { error: refusedByPrometheus } }]), adapterRules: known([queueRule]) },
      external(),
    ),
    says: [
      "the metric queue_depth cannot be read",
      'Prometheus rejected the query: parse error: unexpected ","',
      "it comes from externalRules[2]",
    ],
    negative: facts({ samples: known(notFound("queue_depth")) }, external()),
    unreadable: facts({ samples: no }, external()),
  },
  "PL-052": {
    positive: facts({ adapterRules: known([{ ...queueRule, ignoresSelector: true }]) }, withSelector),
    says: [
      "the selector of queue_depth has no effect",
      "externalRules[2] has a query without <<.LabelMatchers>>",
    ],
    negative: facts({ adapterRules: known([queueRule]) }, withSelector),
    unreadable: facts({ adapterRules: no }, withSelector),
  },
  "PL-053": {
    positive: facts({ adapterRules: known([{ ...rule, warnings: ["name.as is not a template"] }]) }),
    says: ["rules[0] of the adapter is probably not what was intended", "name.as is not a template"],
    negative: facts({
      adapterRules: known([rule]),
      metricRuleNotes: known([{ ...bookNote, mistakes: [] }]),
    }),
    unreadable: facts({ adapterRules: no }),
  },
  "PL-054": {
    positive: facts({}, hpa({ spec: { metrics: [contradicting("AverageValue", "value")] } })),
    says: [
      "the target of queue_depth says AverageValue, and value is set: the controller takes it as Value",
      "type: AverageValue with value: 5",
    ],
    negative: facts({}, hpa({ spec: { metrics: [contradicting("Value", "value")] } })),
    unreadable: facts({}),
  },
  "PL-055": {
    positive: facts({ decision: known(valueDecision("False")) }, byValue),
    says: ["no pod is ready, so the Value target of queue_depth calls for 0 replicas", "0 of 3 are ready"],
    negative: facts({ decision: known(valueDecision("True")) }, byValue),
    unreadable: facts({ decision: no }, byValue),
  },
  "PL-056": {
    positive: facts(
      {
        fronts: known([front]),
        samples: known([{ samples: { value: "0" } }]),
        adapterRules: known([{ ...rule, silentMs: 9 * 86_400_000 }]),
      },
      ofIngress,
    ),
    says: [
      "Ingress default/web is served by Traefik, but requests-per-second is from ingress-nginx",
      "has the class traefik (traefik.io/ingress-controller)",
      "rules[0] is for ingress-nginx, which has had no samples for 9d",
    ],
    negative: facts(
      {
        fronts: known([{ ...front, sources: ["Traefik"] }]),
        samples: known(notFound("requests-per-second")),
      },
      ofIngress,
    ),
    unreadable: facts({ fronts: no }, ofIngress),
  },
  "PL-057": {
    positive: facts(livePods(declaring("http")), live),
    says: ["query[0] reads the port metrics, which no container declares", "declared ports", "http"],
    negative: facts(livePods(declaring("metrics")), live),
    unreadable: facts({ target: no }, live),
  },
  "PL-058": {
    positive: facts({}, selecting({ operator: "Equals", values: ["a"] })),
    says: [
      "the label selector of queue_depth is invalid, so the metric can't be read",
      'its selector "Equals" is not a valid label selector operator',
    ],
    negative: facts({}, selecting({ operator: "In", values: ["a"] })),
    unreadable: facts({}),
  },
};
