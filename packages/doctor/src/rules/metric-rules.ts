// Rules about MetricRules, and about the state of the adapter that serves them.
import { ageText, type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { backendOf, servicesOf } from "../evidence/api-services.ts";
import { type Autoscaler, keyOf } from "../evidence/autoscaler.ts";
import { at, listOf } from "../evidence/fields.ts";
import { type Condition, conditionOf, createdAtMs, nameOf, namespaceOf } from "../evidence/meta.ts";
import type { FindingObject } from "../finding.ts";
import {
  type ClusterContext,
  clusterRule,
  type Found,
  item,
  type ObjectContext,
  objectRule,
  type Rule,
} from "../rule.ts";
import { printSome } from "../text/lists.ts";
import { thresholds } from "../thresholds.ts";

function ruleObject(rule: Fields): FindingObject {
  return {
    kind: "MetricRule",
    resource: "metricrules",
    namespace: namespaceOf(rule),
    name: nameOf(rule),
  };
}

function pathOf(rule: Fields): string {
  return `MetricRule ${namespaceOf(rule)}/${nameOf(rule)}`;
}

function unserved({ facts, nowMs }: ClusterContext<"metricRules">): readonly Found[] {
  return facts.metricRules.flatMap((rule): readonly Found[] => {
    const object = ruleObject(rule);
    const [accepted, resolved] = [conditionOf(rule, "Accepted"), conditionOf(rule, "Resolved")];
    if (accepted === undefined) return unread(rule, object, nowMs);
    if (accepted.status === "False")
      return [
        {
          object,
          title: `the MetricRule is refused: ${accepted.reason}`,
          evidence: [conditionItem(rule, "Accepted", accepted)],
        },
      ];
    if (resolved?.status !== "False") return [];
    return [
      {
        object,
        severity: "warn",
        title: `the MetricRule gives no value: ${resolved.reason}`,
        evidence: [conditionItem(rule, "Resolved", resolved)],
        fix: "make the query give values, or wait until there are series; docs/metric-rules.md has each reason",
      },
    ];
  });
}

function conditionItem(rule: Fields, type: string, { reason, message }: Condition) {
  return item(type, `False, ${reason}: ${message}`, `${pathOf(rule)} .status.conditions`);
}

/** The adapter writes a status within seconds. */
function unread(rule: Fields, object: FindingObject, nowMs: number): readonly Found[] {
  const createdMs = createdAtMs(rule);
  const ageMs = createdMs === undefined ? undefined : nowMs - createdMs;
  if (ageMs === undefined || ageMs < thresholds.unreadMetricRuleMs) return [];
  return [
    {
      object,
      title: "no metrics adapter has read the MetricRule",
      evidence: [item("Accepted", `is not there after ${ageText(ageMs)}`, `${pathOf(rule)} .status`)],
      fix: "start metrics-adapter with --metric-rules=true and the permissions for metricrules",
    },
  ];
}

const troubles: Readonly<Record<string, { readonly title: string; readonly fix: string }>> = {
  backends: {
    title: "a backend of the metrics adapter is down",
    fix: "look at that adapter; docs/troubleshooting.md#backend-down has the steps",
  },
  metrics: {
    title: "a source of the metrics adapter is down, or its metrics cannot be listed",
    fix: "look at that Prometheus; docs/troubleshooting.md#source-down has the steps",
  },
  rules: {
    title: "the metrics adapter does not use its rules file as it is now",
    fix: "correct the file; docs/troubleshooting.md#reload-failed has the steps",
  },
  sources: {
    title: "the metrics adapter does not use its sources file as it is now",
    fix: "correct the file; docs/troubleshooting.md#reload-failed has the steps",
  },
};

function adapterInTrouble({ facts }: ClusterContext<"adapterNotes">): readonly Found[] {
  return facts.adapterNotes.flatMap(({ service, check, text }): readonly Found[] => {
    const trouble = troubles[check];
    if (trouble === undefined) return [];
    const [namespace = "", name = ""] = service.split("/");
    return [
      {
        ...trouble,
        object: { kind: "Service", resource: "services", namespace, name },
        evidence: [item(check, text, `/readyz?verbose of Service ${service}`)],
      },
    ];
  });
}

/** As discovery lists it, with the list of the rules file in which it would be. */
function listedOf({ spec, metadata }: Fields): { readonly list: string; readonly name: string } {
  const metric = textOf(at(spec, "metric")) || textOf(at(metadata, "name"));
  const type = textOf(at(spec, "type"));
  if (type === "External") return { list: "externalRules", name: metric };
  const resource = type === "Object" ? textOf(at(spec, "object", "resource")) : "pods";
  return { list: "rules", name: `${resource}/${metric}` };
}

/** Wanted at times, and a surprise at others: it is only noted. */
function hiding({ facts }: ClusterContext<"metricRules" | "adapterRules">): readonly Found[] {
  return facts.metricRules.flatMap((rule): readonly Found[] => {
    if (conditionOf(rule, "Accepted")?.status !== "True") return [];
    const { list, name } = listedOf(rule);
    const hidden = facts.adapterRules.filter(
      ({ path, listed }) => path.startsWith(`${list}[`) && listed.includes(name),
    );
    if (hidden.length === 0) return [];
    return [
      {
        object: ruleObject(rule),
        title: `the MetricRule hides ${name} of the rules file in its namespace`,
        evidence: [
          item(name, "is defined by the MetricRule", `${pathOf(rule)} .spec`),
          item(name, `is given by ${printSome(hidden.map(({ path }) => path))} too`, "rules file"),
        ],
      },
    ];
  });
}

/** Of an entry of type Query: one with a label for pods has a value for each of them. */
function groupOfQuery(metric: Fields): "custom.metrics.k8s.io" | "external.metrics.k8s.io" {
  const query = fieldsOf(metric["query"]);
  return query["podLabel"] === undefined ? "external.metrics.k8s.io" : "custom.metrics.k8s.io";
}

function queriesOf({ raw }: Pick<Autoscaler, "raw">): readonly Fields[] {
  return listOf(at(raw, "spec", "metrics")).filter((metric) => textOf(metric["type"]) === "Query");
}

function queryWithoutAdapter({
  object,
  facts,
}: ObjectContext<"apiServices" | "adapterServices">): readonly Found[] {
  const groups = [...new Set(queriesOf(object).map(groupOfQuery))].toSorted();
  return groups.flatMap((group): readonly Found[] => {
    const services = servicesOf(facts.apiServices, group);
    if (services.some((one) => facts.adapterServices.includes(backendOf(one)))) return [];
    const [first] = services;
    const belongs =
      first === undefined ? "has no APIService" : `belongs to ${backendOf(first) || "kube-apiserver"}`;
    return [
      {
        title: `a query is asked for at ${group}, which another adapter serves`,
        evidence: [
          item(group, belongs, first === undefined ? "apiservices" : `APIService ${nameOf(first)} .spec`),
          item("type", "is Query", `${object.kind} ${keyOf(object)} .spec.metrics`),
        ],
      },
    ];
  });
}

export const metricRuleRules: readonly Rule[] = [
  clusterRule({
    id: "PL-047",
    severity: "error",
    title: "a MetricRule is not served",
    condition:
      "A MetricRule has Accepted=False, or Resolved=False, or five minutes after it was created has no status at all.",
    fix: "correct the rule as the message says; plimsoll rules check shows the same before it is applied",
    needs: ["metricRules"],
    check: unserved,
  }),
  clusterRule({
    id: "PL-048",
    severity: "warn",
    title: "a source or a backend of the metrics adapter is down",
    condition:
      "/readyz?verbose of metrics-adapter names a backend or source that is down, or a file that was not reloaded.",
    fix: "look at what it names",
    needs: ["adapterNotes"],
    check: adapterInTrouble,
  }),
  clusterRule({
    id: "PL-049",
    severity: "info",
    title: "a MetricRule hides a rule of the rules file",
    condition: "A MetricRule that is served defines a metric that a rule of the adapter's file gives too.",
    fix: "choose another name in spec.metric, unless it is meant so",
    needs: ["metricRules", "adapterRules"],
    check: hiding,
  }),
  objectRule({
    id: "PL-050",
    severity: "error",
    title: "a query that no adapter of ours serves",
    condition:
      "A WorkloadAutoscaler has a metric of type Query, and the APIService for it does not lead to our metrics adapter.",
    fix: "serve the API with metrics-adapter and --metric-rules=true, or use a metric of the other adapter",
    needs: ["apiServices", "adapterServices"],
    applies: (object) => queriesOf(object).length > 0,
    check: queryWithoutAdapter,
  }),
];
