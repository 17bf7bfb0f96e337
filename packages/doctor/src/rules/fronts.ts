// A rule about metrics of an Ingress, an HTTPRoute, a Gateway, or a Service behind one, and about who serves that.
import { ageText, shellWord } from "@plimsoll/core/internal/values";
import type { Autoscaler } from "../evidence/autoscaler.ts";
import type { FrontFact, MetricReading } from "../evidence/facts.ts";
import type { Reference } from "../evidence/meta.ts";
import { valueOf } from "../evidence/reading.ts";
import { type Found, item, type ObjectContext, objectRule, type Rule } from "../rule.ts";
import { amountOf } from "../text/amount.ts";
import { printSome } from "../text/lists.ts";
import { isNotFound } from "./served.ts";

/** By kind, how its apiVersion starts. */
const fronts: ReadonlyMap<unknown, string> = new Map([
  ["Service", "v1"],
  ["Ingress", "networking.k8s.io/"],
  ["HTTPRoute", "gateway.networking.k8s.io/"],
  ["Gateway", "gateway.networking.k8s.io/"],
]);

/** Positions of the metrics that describe what a gateway serves. */
export function frontMetrics({ metrics }: Pick<Autoscaler, "metrics">): readonly number[] {
  const isFront = (described: Reference | undefined) =>
    described?.apiVersion.startsWith(fronts.get(described.kind) ?? "-") ?? false;
  return metrics.filter(({ described }) => isFront(described)).map(({ index }) => index);
}

function otherSource({ object, facts, readings }: ObjectContext<"fronts">): readonly Found[] {
  return facts.fronts.flatMap((front): readonly Found[] => {
    const { index, kind, classes, servedBy, rule, sources } = front;
    const metric = object.metrics[index];
    if (metric === undefined || servedBy.length === 0 || sources.length === 0) return [];
    const isFrom = sources.some((source) => servedBy.includes(source));
    // Traffic that is counted passes there, whoever else serves it.
    if (isFrom || !isSilent(valueOf(readings.samples)?.[index])) return [];
    const name = `${kind} ${object.namespace}/${front.name}`;
    const [by, from] = [servedBy.join(" and "), sources.join(" or ")];
    const silentMs = valueOf(readings.adapterRules)?.find(({ path }) => path === rule)?.silentMs;
    const silent = silentMs === undefined ? "" : `, which has had no samples for ${ageText(silentMs)}`;
    return [
      {
        title: `${name} is served by ${by}, but ${metric.name} is from ${from}`,
        evidence: [
          item(name, `has the class ${printSome(classes)}`, name),
          item(rule, `is for ${from}${silent}`, "series of the rule"),
        ],
        fix: fixOf(front, object, by),
      },
    ];
  });
}

/** The metric is 0, or nobody serves it. What can't be read may be anything. */
function isSilent(reading: MetricReading | undefined): boolean {
  if (reading === undefined) return false;
  const { samples } = reading;
  return "value" in samples ? (amountOf(samples.value) ?? 0) <= 0 : isNotFound(reading);
}

function fixOf({ kind, name }: FrontFact, { namespace, target }: Autoscaler, by: string): string {
  const [of, named] = kind === "Gateway" || kind === "Service" ? [target.kind, target.name] : [kind, name];
  const object = shellWord(`${of.toLowerCase()}/${named}`);
  return `use a rule and a metric for ${by}: plimsoll metrics setup ${object} -n ${shellWord(namespace)} prints them`;
}

export const frontRules: readonly Rule[] = [
  objectRule({
    id: "PL-056",
    severity: "error",
    title: "the metric of an Ingress or a route is from a source that doesn't serve it",
    condition:
      "A metric describes an Ingress, HTTPRoute, Gateway, or a Service behind one. Its class and the rule's series have different sources, and no traffic is counted.",
    fix: "use a rule for the source that serves it: plimsoll metrics setup prints one",
    isFromRecords: true,
    needs: ["fronts"],
    uses: ["samples", "adapterRules"],
    applies: (object) => frontMetrics(object).length > 0,
    check: otherSource,
  }),
];
