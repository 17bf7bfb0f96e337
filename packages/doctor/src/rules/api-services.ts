// Rules about the APIServices that metrics come from.
import { ageText, type Fields, textOf } from "@plimsoll/core/internal/values";
import {
  backendOf,
  groupOfMetric,
  type MetricsGroup,
  metricsGroups,
  servicesOf,
} from "../evidence/api-services.ts";
import { type Autoscaler, keyOf, type Metric } from "../evidence/autoscaler.ts";
import { at } from "../evidence/fields.ts";
import { conditionOf, isOwnedBy, nameOf } from "../evidence/meta.ts";
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

function apiServiceObject(name: string): FindingObject {
  return { kind: "APIService", resource: "apiservices", namespace: "", name };
}

function unavailable({ facts, objects, nowMs }: ClusterContext<"apiServices">): readonly Found[] {
  return metricsGroups.flatMap((group): readonly Found[] => {
    const users = objects.filter(({ metrics }) => metrics.some((metric) => groupOfMetric(metric) === group));
    if (users.length === 0) return [];
    const services = servicesOf(facts.apiServices, group);
    const used = item("needed by", printSome(users.map(keyOf)), ".spec.metrics");
    if (services.length === 0) {
      const evidence = [item(group, "has no APIService", "apiservices"), used];
      return [
        { object: apiServiceObject(`v1beta1.${group}`), title: `no APIService serves ${group}`, evidence },
      ];
    }
    // A version that is not served is no fault while another is.
    if (services.some((service) => conditionOf(service, "Available")?.status === "True")) return [];
    return services.map((service) => {
      const available = conditionOf(service, "Available");
      const since = available?.sinceMs === undefined ? "" : ` for ${ageText(nowMs - available.sinceMs)}`;
      const text = `${available?.reason ?? "no condition"}${since}: ${available?.message ?? "its state is still unknown"}`;
      return {
        object: apiServiceObject(nameOf(service)),
        evidence: [item("Available", text, `APIService ${nameOf(service)} .status.conditions`), used],
      };
    });
  });
}

const kedaName = /keda/;

/** KEDA serves the metrics of its ScaledObjects and no others. One that answers may be passed on by another adapter. */
function foreignAdapter({ object, facts, readings }: ObjectContext<"apiServices">): readonly Found[] {
  const samples = valueOf(readings.samples) ?? [];
  const external = object.metrics.filter(({ type, index }) => {
    const sampled = samples[index]?.samples;
    return type === "External" && (sampled === undefined || "error" in sampled);
  });
  const service = servicesOf(facts.apiServices, "external.metrics.k8s.io")[0];
  const backend = service === undefined ? "" : backendOf(service);
  if (service === undefined || backend === "") return [];
  const isKeda = kedaName.test(backend);
  const wrong = external.filter((metric) => isKedaMetric(object, metric) !== isKeda);
  if (wrong.length === 0) return [];
  const where = `APIService ${nameOf(service)} .spec.service`;
  return [
    {
      evidence: [
        item(nameOf(service), `belongs to ${backend}`, where),
        item(
          printSome(wrong.map(({ name }) => name)),
          isKeda ? "is not a metric of a ScaledObject" : "is a metric of KEDA",
          `${object.kind} ${keyOf(object)} .spec.metrics`,
        ),
      ],
      fix: isKeda
        ? "KEDA owns external.metrics.k8s.io: use a ScaledObject, a Pods or Object metric, or one adapter that serves both"
        : "give external.metrics.k8s.io back to KEDA, or remove the ScaledObject",
    },
  ];
}

function isKedaMetric({ raw }: Autoscaler, { selector }: Metric): boolean {
  const label = at(selector, "matchLabels", "scaledobject.keda.sh/name");
  return (
    label !== undefined ||
    textOf(at(raw, "metadata", "labels", "scaledobject.keda.sh/name")) !== "" ||
    isKedaHpa(raw)
  );
}

function isKedaHpa(raw: Fields): boolean {
  return isOwnedBy(raw, {
    kind: "ScaledObject",
    name: textOf(at(raw, "metadata", "labels", "scaledobject.keda.sh/name")),
  });
}

const certificateProblem = /x509|certificate|tls:/i;

function wrongCa({ facts }: ClusterContext<"apiServices">): readonly Found[] {
  const groups: readonly MetricsGroup[] = metricsGroups;
  return groups
    .flatMap((group) => servicesOf(facts.apiServices, group))
    .flatMap((service): readonly Found[] => {
      const name = nameOf(service);
      const hasCa = textOf(at(service, "spec", "caBundle")) !== "";
      const isUnverified = at(service, "spec", "insecureSkipTLSVerify") === true;
      const available = conditionOf(service, "Available");
      const object = apiServiceObject(name);
      const where = `APIService ${name} .spec`;
      if (hasCa && isUnverified) {
        const both = item("caBundle and insecureSkipTLSVerify", "are both set", where);
        return [{ object, title: "caBundle and insecureSkipTLSVerify can't be combined", evidence: [both] }];
      }
      const isRefused = available?.status === "False" && certificateProblem.test(available.message);
      if (!isRefused || isUnverified) return [];
      const ca = hasCa ? "does not match the certificate" : "is not set";
      return [
        {
          object,
          title: "the CA does not match the certificate of the metrics API",
          evidence: [
            item("Available", available.message, `APIService ${name} .status.conditions`),
            item("caBundle", ca, where),
          ],
        },
      ];
    });
}

export const apiServiceRules: readonly Rule[] = [
  clusterRule({
    id: "PL-018",
    severity: "error",
    title: "the API of a metric is not available",
    condition: "The APIService that a metric needs is missing or not Available.",
    fix: "start the adapter that serves it; see docs/troubleshooting.md",
    needs: ["apiServices"],
    check: unavailable,
  }),
  objectRule({
    id: "PL-019",
    severity: "error",
    title: "the API of external metrics belongs to another adapter",
    condition:
      "An external metric cannot be read. It belongs to KEDA and another adapter serves the API, or the reverse.",
    fix: "let one adapter own the API",
    needs: ["apiServices"],
    uses: ["samples"],
    applies: ({ metrics }) => metrics.some(({ type }) => type === "External"),
    check: foreignAdapter,
  }),
  clusterRule({
    id: "PL-020",
    severity: "error",
    title: "the CA of a metrics API is wrong",
    condition:
      "An APIService of a metrics API has both caBundle and insecureSkipTLSVerify, or its CA does not match the certificate.",
    fix: "set caBundle to the CA that signed the certificate, and remove insecureSkipTLSVerify",
    isForManifests: true,
    needs: ["apiServices"],
    check: wrongCa,
  }),
];
