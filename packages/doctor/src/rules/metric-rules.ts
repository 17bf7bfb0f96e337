// Rules about MetricRules, and about the state of the adapter that serves them.
import { ageText, type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { backendOf, servicesOf } from "../evidence/api-services.ts";
import { type Autoscaler, keyOf } from "../evidence/autoscaler.ts";
import { at, listOf } from "../evidence/fields.ts";
import { type Condition, conditionOf, createdAtMs, nameOf, namespaceOf } from "../evidence/meta.ts";
import { valueOf } from "../evidence/reading.ts";
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
import { livePodsRule } from "./live.ts";

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

function unserved({ facts, readings, nowMs }: ClusterContext<"metricRules">): readonly Found[] {
  return facts.metricRules.flatMap((rule): readonly Found[] => {
    const object = ruleObject(rule);
    const [accepted, resolved] = [conditionOf(rule, "Accepted"), conditionOf(rule, "Resolved")];
    if (accepted === undefined) return unread(rule, object, nowMs);
    if (accepted.status === "False")
      return [
        {
          object,
          title: `the MetricRule was rejected: ${accepted.reason}`,
          evidence: [conditionItem(rule, "Accepted", accepted)],
        },
      ];
    if (resolved?.status !== "False") return [];
    const known = valueOf(readings.metricRuleNotes)?.find(
      ({ namespace, name }) => namespace === object.namespace && name === object.name,
    );
    const why = resolved.reason === "NoSeries" ? known?.whyEmpty : undefined;
    return [
      {
        object,
        severity: "warn",
        title: `the MetricRule has no value: ${resolved.reason}`,
        evidence: [
          conditionItem(rule, "Resolved", resolved),
          ...(why === undefined ? [] : [item("its series", why, "recipe book")]),
        ],
        fix: "correct the query so that it returns values, or wait for series; see docs/metric-rules.md for each reason",
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
      evidence: [item("Accepted", `is missing after ${ageText(ageMs)}`, `${pathOf(rule)} .status`)],
      fix: "start metrics-adapter with --metric-rules=true and the permissions for metricrules",
    },
  ];
}

const troubles: Readonly<Record<string, { readonly title: string; readonly fix: string }>> = {
  backends: {
    title: "a backend of the metrics adapter is down",
    fix: "check that adapter; see docs/troubleshooting.md#backend-down",
  },
  metrics: {
    title: "a source of the metrics adapter is down, or the adapter can't list its metrics",
    fix: "check that Prometheus; see docs/troubleshooting.md#source-down",
  },
  rules: {
    title: "the metrics adapter hasn't loaded its current rules file",
    fix: "correct the file; see docs/troubleshooting.md#reload-failed",
  },
  sources: {
    title: "the metrics adapter hasn't loaded its current sources file",
    fix: "correct the file; see docs/troubleshooting.md#reload-failed",
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
          item(name, `is also defined by ${printSome(hidden.map(({ path }) => path))}`, "rules file"),
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

/** Only metrics-adapter says so; its Service may have another label. */
function isAccepted({ raw }: Pick<Autoscaler, "raw">): boolean {
  const generation = at(raw, "metadata", "generation");
  const conditions = listOf(at(raw, "status", "queries")).flatMap((query) => listOf(query["conditions"]));
  return conditions.some(
    ({ type, status, observedGeneration }) =>
      type === "Accepted" && status === "True" && observedGeneration === generation,
  );
}

function queryWithoutAdapter({
  object,
  facts,
}: ObjectContext<"apiServices" | "adapterServices">): readonly Found[] {
  if (isAccepted(object)) return [];
  const groups = [...new Set(queriesOf(object).map(groupOfQuery))].toSorted();
  return groups.flatMap((group): readonly Found[] => {
    const services = servicesOf(facts.apiServices, group);
    if (services.some((one) => facts.adapterServices.includes(backendOf(one)))) return [];
    const [first] = services;
    const belongs =
      first === undefined ? "has no APIService" : `belongs to ${backendOf(first) || "kube-apiserver"}`;
    return [
      {
        title: `a query needs ${group}, but another adapter serves it`,
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
    fix: "correct the rule as the message says; check it before you apply it with plimsoll rules check",
    needs: ["metricRules"],
    uses: ["metricRuleNotes"],
    check: unserved,
  }),
  clusterRule({
    id: "PL-048",
    severity: "warn",
    title: "a source or a backend of the metrics adapter is down",
    condition:
      "/readyz?verbose of metrics-adapter names a backend or source that is down, or a file that was not reloaded.",
    fix: "check the backend, source, or file that it names",
    needs: ["adapterNotes"],
    check: adapterInTrouble,
  }),
  clusterRule({
    id: "PL-049",
    severity: "info",
    title: "a MetricRule hides a rule of the rules file",
    condition: "An active MetricRule defines a metric that the adapter's rules file also defines.",
    fix: "use another name in spec.metric, unless you want this",
    needs: ["metricRules", "adapterRules"],
    check: hiding,
  }),
  objectRule({
    id: "PL-050",
    severity: "error",
    title: "a query that Plimsoll's adapter doesn't serve",
    condition:
      "A WorkloadAutoscaler has a metric of type Query, and its APIService points to another adapter.",
    fix: "serve the API with metrics-adapter and --metric-rules=true, or use a metric of the other adapter",
    needs: ["apiServices", "adapterServices"],
    applies: (object) => queriesOf(object).length > 0,
    check: queryWithoutAdapter,
  }),
  livePodsRule,
];
