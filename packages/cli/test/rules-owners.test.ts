// Who owns each metric, as `plimsoll rules check` says it.
import type { RuleInspection } from "@plimsoll/rules";
import { expect, test } from "vitest";
import { ownerLines, ownersOf, readOtherOwners } from "../src/commands/rules/owners.ts";
import { runCli } from "../src/index.ts";
import type { CliSeams } from "../src/seams.ts";

const inspection = (
  path: string,
  ...metrics: readonly (readonly [resource: string | undefined, metric: string])[]
) =>
  ({
    path,
    metrics: metrics.map(([resource, metric]) => ({ metric, resource, namespaced: true, series: metric })),
    warnings: [],
    problem: undefined,
    sample: undefined,
  }) satisfies RuleInspection;

const files: Readonly<Record<string, string>> = {
  "mr.yaml": `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: MetricRule
metadata: {name: rate, namespace: shop}
spec: {type: Pods, query: "sum by (pod) (rate(a[2m]))"}
---
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: MetricRule
metadata: {name: lag, namespace: shop}
spec: {type: External, query: "sum(lag)"}
---
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: MetricRule
metadata: {name: refused, namespace: shop}
spec: {type: External, query: 'sum(lag{namespace="x"})'}
`,
  "backends.yaml": `
backends:
- {name: keda, service: {namespace: keda, name: m}, groups: [external.metrics.k8s.io],
   match: {labelSelectorKeys: [scaledobject.keda.sh/name]}}
- {name: cloud, service: {namespace: cloud, name: m}, groups: [custom.metrics.k8s.io, external.metrics.k8s.io],
   match: {metrics: ["lag", "rate"], namespaces: ["shop"]}}
- {name: other, service: {namespace: other, name: m}, groups: [external.metrics.k8s.io], match: {namespaces: [x]}}
`,
  "broken.yaml": "backends: [{name: A}]\n",
};

function seamsOf(out: string[]): CliSeams {
  return {
    args: [],
    name: "plimsoll",
    version: "0.0.0",
    readText: (file) => Promise.resolve(files[file] ?? ""),
    writeOut: (text) => void out.push(text),
    writeError: (text) => void out.push(text),
    nowMs: () => 0,
    signal: new AbortController().signal,
  };
}

test("a MetricRule owns a metric in its namespace, a rule of the file in all others, a backend what neither has", async () => {
  const others = await readOtherOwners(
    { metricRules: ["mr.yaml"], federationConfig: "backends.yaml" },
    "namespace",
    seamsOf([]),
  );
  const inspected = [
    inspection("rules[0]", ["pods", "rate"], ["services", "rate"]),
    inspection("rules[1]", ["pods", "rate"]),
    inspection("externalRules[0]", [undefined, "queue"]),
    inspection("resourceRules.cpu.nodeQuery", ["nodes", "cpu"]),
  ];
  expect(ownerLines(ownersOf(inspected, others))).toEqual([
    "",
    "owners",
    "  lag in shop: MetricRule shop/lag; not asked: backend keda, for selectors with scaledobject.keda.sh/name; backend cloud",
    "  pods/rate: rules[1]; not asked: rules[0]; backend cloud",
    "  pods/rate in shop: MetricRule shop/rate; not asked: rules[1]; rules[0]; backend cloud",
    "  queue: externalRules[0]; not asked: backend keda, for selectors with scaledobject.keda.sh/name",
    "  services/rate: rules[0]; not asked: backend cloud",
  ]);
});

test("a file of backends that cannot be used is named with its place, and a Prometheus is needed", async () => {
  await expect(
    readOtherOwners({ metricRules: [], federationConfig: "broken.yaml" }, "namespace", seamsOf([])),
  ).rejects.toThrow("broken.yaml:1:");
  const out: string[] = [];
  const code = await runCli({
    ...seamsOf(out),
    args: ["rules", "check", "f.yaml", "--federation-config", "backends.yaml"],
  });
  expect([code, out.join("")]).toEqual([1, expect.stringContaining("need --against")]);
});
