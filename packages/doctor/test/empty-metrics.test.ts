// PL-022: what helps where a metric has no sample depends on its rule.
import { expect, test } from "vitest";
import { known, unknown } from "../src/index.ts";
import { rule } from "./cases/case.ts";
import { cpu, examine, hpa, podsMetric, queue } from "./world.ts";

const depth = { ...rule, path: "externalRules[0]", metrics: ["queue_depth"] };
const external = queue("AverageValue");

test.each([
  [
    "a query without the object's label",
    podsMetric,
    [{ ...rule, lacksLabel: true }],
    /^end metricsQuery of rules\[0\] with by \(<<\.GroupBy>>\)/,
  ],
  [
    "series without the object's label",
    podsMetric,
    [rule],
    /^give the series the workload's namespace and pod labels/,
  ],
  [
    "an external rule of each namespace",
    external,
    [depth],
    /^set resources\.namespaced: false in externalRules\[0\] if the series are not of namespace default/,
  ],
  [
    "an external rule of all namespaces",
    external,
    [{ ...depth, isNamespaced: false }],
    /^correct the selector of the metric, or/,
  ],
  [
    "an external metric of unknown rules",
    external,
    undefined,
    /^set resources\.namespaced: false in the external rule/,
  ],
  ["usage", cpu, [rule], /^check why the metrics server has no usage/],
])("%s", (_what, metric, rules, fix) => {
  const samples = metric === external ? { values: [] } : { pods: [] };
  const facts = {
    samples: known([{ samples }]),
    adapterRules: rules === undefined ? unknown("needs --prometheus") : known(rules),
  };
  const { findings } = examine("PL-022", { object: hpa({ spec: { metrics: [metric] } }), facts });
  expect(findings.map((finding) => finding.fix)).toEqual([expect.stringMatching(fix)]);
});
