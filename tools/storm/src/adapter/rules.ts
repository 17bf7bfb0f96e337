// The rules of the simulated adapters.
import { type CompiledRules, formatProblem, loadRules } from "@plimsoll/rules";

/** Of each rule: the series, the metric, and what its objects are. */
const text = `
rules:
  - seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
    resources: &ofPods
      overrides:
        namespace: { resource: namespace }
        pod: { resource: pod }
    name: { matches: "^(.*)_total$", as: "\${1}_per_second" }
    metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
  - seriesQuery: 'busy_workers{namespace!="",pod!=""}'
    resources: *ofPods
    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)
  - seriesQuery: 'ingress_requests_total{namespace!="",ingress!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
        ingress: { group: networking.k8s.io, resource: ingress }
    name: { matches: "^(.*)_total$", as: "\${1}_per_second" }
    metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)
  - seriesQuery: 'open_connections{namespace!="",service!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
        service: { resource: service }
    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)
externalRules:
  - seriesQuery: 'queue_depth{namespace!="",queue!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)
resourceRules:
  cpu:
    containerQuery: sum(rate(container_cpu_usage_seconds_total{<<.LabelMatchers>>,container!=""}[1m])) by (<<.GroupBy>>)
    nodeQuery: sum(rate(node_cpu_usage_seconds_total{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
    resources: &ofContainers
      overrides:
        namespace: { resource: namespace }
        node: { resource: node }
        pod: { resource: pod }
    containerLabel: container
  memory:
    containerQuery: sum(container_memory_working_set_bytes{<<.LabelMatchers>>,container!=""}) by (<<.GroupBy>>)
    nodeQuery: sum(node_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    resources: *ofContainers
    containerLabel: container
  window: 1m
`;

/** Compiles the rules: each adapter has its own, because what is computed for them is cached by their identity. */
export function adapterRules(): CompiledRules {
  const loaded = loadRules(text, "storm.yaml");
  if (loaded.ok) return loaded.rules;
  throw new Error(loaded.problems.map((problem) => formatProblem("storm.yaml", problem)).join("\n"));
}
