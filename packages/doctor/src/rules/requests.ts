// Rules about requests, and about containers that metrics name.
import type { MetricTrace, ResourceSample } from "@plimsoll/core";
import { type Autoscaler, isUtilization, type Metric } from "../evidence/autoscaler.ts";
import type { MetricReading } from "../evidence/facts.ts";
import { at, type Fields, textOf } from "../evidence/fields.ts";
import { metricSteps, proposedBy, ratioOf } from "../evidence/past-decision.ts";
import { containerRequest, isLiving, podLevelRequest, runningContainers } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import { type Found, item, type ObjectContext, objectRule, type Rule } from "../rule.ts";
import { amountOf, printRatio, printShare } from "../text/amount.ts";
import { counted, printSome } from "../text/lists.ts";
import { nearest } from "../text/nearest.ts";
import { thresholds } from "../thresholds.ts";

function missingRequests(context: ObjectContext<"pods">): readonly Found[] {
  const { object, facts, readings } = context;
  const pods = facts.pods.filter(isLiving);
  const target = valueOf(readings.target);
  const template =
    target?.found === true ? containerNames(at(target.object, "spec", "template", "spec")) : [];
  return uniqueResources(object).flatMap((metric): readonly Found[] => {
    const without = new Map<string, number>();
    for (const pod of pods) {
      for (const name of containersWithout(pod, metric)) without.set(name, (without.get(name) ?? 0) + 1);
    }
    if (without.size === 0) return [];
    return [
      {
        title: `a container requests no ${metric.name}, so its utilization is not known`,
        evidence: [...without].map(([name, count]) => {
          const isInjected = template.length > 0 && !template.includes(name);
          const origin = isInjected ? "; it is injected: the target's template does not have it" : "";
          const value = `requests no ${metric.name} in ${count} of ${counted(pods.length, "pod")}${origin}`;
          return item(`container ${name}`, value, "pods .spec.containers");
        }),
      },
    ];
  });
}

/** A metric a resource and container. */
function uniqueResources({ metrics }: Autoscaler): readonly Metric[] {
  const seen = new Set<string>();
  return metrics.filter(isUtilization).filter(({ name, container }) => {
    const key = `${name}/${container}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function containersWithout(pod: Fields, { name, container }: Metric): readonly string[] {
  const spec = pod["spec"];
  if (container === "" && podLevelRequest(spec, name) !== undefined) return [];
  return runningContainers(spec)
    .filter((one) => container === "" || one["name"] === container)
    .filter((one) => containerRequest(one, name) === undefined)
    .map((one) => textOf(one["name"]));
}

function containerNames(spec: unknown): readonly string[] {
  return runningContainers(spec).map((container) => textOf(container["name"]));
}

function unknownContainer({ object, facts }: ObjectContext<"pods">): readonly Found[] {
  const pods = facts.pods.filter(isLiving);
  const names = [...new Set(pods.flatMap((pod) => containerNames(pod["spec"])))];
  if (pods.length === 0) return [];
  return object.metrics
    .filter(({ type, container }) => type === "ContainerResource" && !names.includes(container))
    .map(({ index, container }) => {
      const near = nearest(container, names);
      return {
        evidence: [
          item(`container ${container}`, "is in no pod", `${object.kind} .spec.metrics[${index}]`),
          item("the pods have", printSome(names), "pods .spec.containers"),
        ],
        fix: near[0] === undefined ? undefined : `name a container that the pods have, such as ${near[0]}`,
      };
    });
}

interface ContainerUse {
  readonly name: string;
  readonly requests: number;
  readonly usage: number;
}

function idleContainer({ object, facts }: ObjectContext<"pods" | "samples">): readonly Found[] {
  return object.metrics
    .filter((metric) => metric.type === "Resource" && isUtilization(metric))
    .flatMap((metric): readonly Found[] => {
      const uses = containerUses(facts.pods, metric.name, facts.samples[metric.index]);
      const all = uses.reduce((sum, { requests }) => sum + requests, 0);
      const idle = uses.find((use) => use.requests >= all * thresholds.idleContainerRequests && isIdle(use));
      const busiest = uses.toSorted((a, b) => b.usage / b.requests - a.usage / a.requests)[0];
      if (idle === undefined || busiest === undefined || isIdle(busiest)) return [];
      const where = `pods .spec.containers, metrics.k8s.io`;
      return [
        {
          title: `container ${idle.name} hides how busy ${busiest.name} is`,
          evidence: [
            item(
              `container ${idle.name}`,
              `has ${printShare(idle.requests / all)} of the ${metric.name} requests and uses ${printShare(idle.usage / idle.requests)} of them`,
              where,
            ),
            item(
              `container ${busiest.name}`,
              `uses ${printShare(busiest.usage / busiest.requests)} of its requests`,
              where,
            ),
          ],
          fix: `use a ContainerResource metric of ${busiest.name}`,
        },
      ];
    });
}

function isIdle({ requests, usage }: ContainerUse): boolean {
  return usage < requests * thresholds.idleContainerUsage;
}

/** Sums over the pods that have a sample. */
function containerUses(
  pods: readonly Fields[],
  resource: string,
  reading: MetricReading | undefined,
): readonly ContainerUse[] {
  if (reading === undefined || !("pods" in reading.samples)) return [];
  const samples = new Map(
    reading.samples.pods.flatMap((sample) =>
      "containers" in sample ? [[sample.name, sample] as const] : [],
    ),
  );
  const uses = new Map<string, ContainerUse>();
  for (const pod of pods) {
    const sample: ResourceSample | undefined = samples.get(textOf(at(pod, "metadata", "name")));
    if (sample === undefined) continue;
    for (const container of runningContainers(pod["spec"])) {
      const name = textOf(container["name"]);
      const requests = containerRequest(container, resource) ?? 0;
      const usage = amountOf(sample.containers[name]?.[resource]) ?? 0;
      const before = uses.get(name) ?? { name, requests: 0, usage: 0 };
      if (requests > 0)
        uses.set(name, { name, requests: before.requests + requests, usage: before.usage + usage });
    }
  }
  return [...uses.values()];
}

function cannotFall({ object, facts, nowMs }: ObjectContext<"decision">): readonly Found[] {
  const { decision } = facts;
  const current = decision.currentReplicas;
  const sinceMs = object.lastScaleMs ?? object.createdAtMs;
  if (current < 2 || current <= object.minReplicas || proposedBy(decision) !== current) return [];
  if (sinceMs === undefined || nowMs - sinceMs < thresholds.cannotFallMs) return [];
  const steps = metricSteps(decision).filter(({ replicas }) => replicas === current);
  return steps.flatMap((step): readonly Found[] => {
    const ratio = ratioOf(step);
    const down = step.tolerance?.down ?? 0.1;
    if (ratio === undefined || step.rule === "within-tolerance" || ratio >= 1 - down) return [];
    return [{ evidence: [divisionItem(step, ratio, current)] }];
  });
}

function divisionItem(step: MetricTrace, ratio: number, current: number) {
  const after = (ratio * current) / (current - 1);
  const division = `${printRatio(ratio)} of the target × ${current} ÷ ${current - 1} pods = ${printRatio(after)}, which is above 1`;
  return item(step.name, division, "the newest decision");
}

export const requestRules: readonly Rule[] = [
  objectRule({
    id: "PL-014",
    severity: "error",
    title: "a container has no request of a resource that is measured as utilization",
    condition:
      "A metric has a utilization target, and a running container of the pods, or a sidecar, requests nothing of that resource.",
    fix: "set the request of the container (for an injected one in the settings of what injects it), or use a ContainerResource metric of the main container",
    isFromRecords: true,
    isForManifests: true,
    needs: ["pods"],
    uses: ["target"],
    applies: ({ metrics }) => metrics.some(isUtilization),
    check: missingRequests,
  }),
  objectRule({
    id: "PL-015",
    severity: "error",
    title: "a metric names a container that no pod has",
    condition: "A ContainerResource metric names a container that is in none of the pods.",
    fix: "name a container that the pods have",
    isFromRecords: true,
    isForManifests: true,
    needs: ["pods"],
    applies: ({ metrics }) => metrics.some(({ type }) => type === "ContainerResource"),
    check: unknownContainer,
  }),
  objectRule({
    id: "PL-016",
    severity: "info",
    title: "an idle container hides how busy the main one is",
    condition:
      "One container has at least half of the requests and uses less than 20 % of them, while another container uses more than that of its own.",
    fix: "use a ContainerResource metric of the main container",
    needs: ["pods", "samples"],
    applies: ({ metrics }) => metrics.some((metric) => metric.type === "Resource" && isUtilization(metric)),
    check: idleContainer,
  }),
  objectRule({
    id: "PL-017",
    severity: "info",
    title: "the replicas cannot fall: one pod fewer would exceed the target",
    condition:
      "No scale for an hour, above minReplicas, and a metric below its target proposes the present replicas, because divided by one pod fewer it would exceed the target.",
    fix: "raise the target or the requests, if fewer pods shall be enough; otherwise this is what the target asks for",
    isFromRecords: true,
    needs: ["decision"],
    check: cannotFall,
  }),
];
