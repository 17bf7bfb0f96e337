// Rules about metrics that cannot be read, or that give something else than what is asked for.
import { isResourceMetric, keyOf, type Metric, ownCondition } from "../evidence/autoscaler.ts";
import type { AdapterRule } from "../evidence/facts.ts";
import {
  type ClusterContext,
  checkPart,
  clusterRule,
  type Found,
  item,
  type ObjectContext,
  type Outcome,
  objectRule,
  type Rule,
} from "../rule.ts";
import { isNotFound, isRefusedQuery, metricField, ruleObject, ruleOf } from "./served.ts";

/** Other rules say these: there is no backend, or the value is not a number. */
const ofOtherRules = /the server is currently unable to handle the request|is not a quantity/;

function failing({ object, facts, readings }: ObjectContext<"samples">): readonly Found[] {
  const active = ownCondition(object, "ScalingActive");
  return object.metrics.flatMap((metric): readonly Found[] => {
    const reading = facts.samples[metric.index];
    if (reading === undefined || !("error" in reading.samples) || isNotFound(reading)) return [];
    const { error } = reading.samples;
    if (ofOtherRules.test(error) || (metric.isQuery && isRefusedQuery(reading))) return [];
    const rule = metric.isQuery || isResourceMetric(metric) ? undefined : ruleOf(metric, readings);
    return [
      {
        // A single failure among good readings passes.
        severity: active?.status === "True" ? "warn" : "error",
        title: `the metric ${metric.name} cannot be read`,
        evidence: [
          item(metric.name, error, metricField(object, metric)),
          ...(rule === undefined ? [] : [item("it comes from", rule.path, "the adapter's rules")]),
          ...(active?.status === "False"
            ? [
                item(
                  "ScalingActive",
                  `False: ${active.reason}`,
                  `${object.kind} ${keyOf(object)} .status.conditions`,
                ),
              ]
            : []),
        ],
        fix: fixOf(object.namespace, metric, rule),
      },
    ];
  });
}

function fixOf(namespace: string, metric: Metric, rule: AdapterRule | undefined): string | undefined {
  if (metric.isQuery) return "correct the query as the message says";
  if (isResourceMetric(metric)) return undefined;
  const of = metric.type === "External" ? " --resource external" : "";
  const see = `plimsoll rules query ${metric.name} -n ${namespace}${of} shows the query that is sent`;
  return rule === undefined ? undefined : `correct metricsQuery of ${rule.path} as the message says; ${see}`;
}

function selectorIgnored({ object, facts, readings }: ObjectContext<"adapterRules">): readonly Found[] {
  if (facts.adapterRules.length === 0) return [];
  return object.metrics.flatMap((metric): readonly Found[] => {
    const rule = ruleOf(metric, readings);
    if (rule?.ignoresSelector !== true || Object.keys(metric.selector).length === 0) return [];
    return [
      {
        title: `the selector of ${metric.name} has no effect`,
        evidence: [
          item("the selector", JSON.stringify(metric.selector), metricField(object, metric)),
          item(
            rule.path,
            "has a query without <<.LabelMatchers>>: every series counts",
            "the adapter's rules",
          ),
        ],
        fix: `add <<.LabelMatchers>> to metricsQuery of ${rule.path}: <<.Series>>{<<.LabelMatchers>>}`,
      },
    ];
  });
}

function doubtfulRules({ readings }: ClusterContext): readonly Outcome[] {
  const ofFile = checkPart(readings.adapterRules, (rules) =>
    rules.flatMap((rule) =>
      rule.warnings.map((warning) => ({
        object: ruleObject(rule),
        title: `${rule.path} of the adapter is probably not what was intended`,
        evidence: [item(rule.path, warning, "the adapter's rules")],
      })),
    ),
  );
  const ofObjects = checkPart(readings.metricRuleNotes, (notes) =>
    notes.flatMap(({ namespace, name, mistakes }) =>
      mistakes.map((mistake) => ({
        object: { kind: "MetricRule", resource: "metricrules", namespace, name },
        title: "the MetricRule is probably not what was intended",
        evidence: [item("spec.query", mistake, `MetricRule ${namespace}/${name}`)],
      })),
    ),
  );
  return [...ofFile, ...ofObjects];
}

export const unreadRules: readonly Rule[] = [
  objectRule({
    id: "PL-051",
    severity: "error",
    title: "a metric cannot be read",
    condition:
      "The metrics API has the metric but returns an error, such as Prometheus's error about the query.",
    fix: "fix the cause in the message; plimsoll rules query shows the metric's query, and doctor --prometheus its rule",
    isFromRecords: true,
    needs: ["samples"],
    uses: ["adapterRules"],
    check: failing,
  }),
  objectRule({
    id: "PL-052",
    severity: "error",
    title: "the selector of a metric has no effect",
    condition: "A metric has a selector, and the query of its rule does not use <<.LabelMatchers>>.",
    fix: "add <<.LabelMatchers>> to the query",
    needs: ["adapterRules"],
    applies: ({ metrics }) => metrics.some(({ selector }) => Object.keys(selector).length > 0),
    check: selectorIgnored,
  }),
  clusterRule({
    id: "PL-053",
    severity: "warn",
    title: "a rule of the adapter is probably not what was intended",
    condition:
      "plimsoll rules check warns about a rule or a MetricRule, or the rule's nodes are not nodes of the cluster.",
    fix: "change the rule as the message says",
    needs: [],
    uses: ["adapterRules", "metricRuleNotes"],
    check: doubtfulRules,
  }),
];
