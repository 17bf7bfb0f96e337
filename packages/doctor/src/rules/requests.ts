// Rules about requests, and about containers that metrics name.
import type { MetricTrace, ResourceSample } from "@plimsoll/core";
import { counted, type Fields, nearest, showRatio, textOf } from "@plimsoll/core/internal/values";
import { type Autoscaler, isUtilization, type Metric } from "../evidence/autoscaler.ts";
import type { MetricReading } from "../evidence/facts.ts";
import { at } from "../evidence/fields.ts";
import { controllerOf, nameOf } from "../evidence/meta.ts";
import { metricSteps, proposedBy, ratioOf } from "../evidence/past-decision.ts";
import { containerRequest, isLiving, podLevelRequest, runningContainers } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import { type Found, item, type ObjectContext, objectRule, type Rule } from "../rule.ts";
import { amountOf, printShare } from "../text/amount.ts";
import { printSome } from "../text/lists.ts";
import { thresholds } from "../thresholds.ts";

function missingRequests(context: ObjectContext<"pods">): readonly Found[] {
  const { object, facts, readings } = context;
  const pods = facts.pods.filter((pod) => isLiving(pod) && !isOfJob(pod));
  const target = valueOf(readings.target);
  const template =
    target?.found === true ? containerNames(at(target.object, "spec", "template", "spec")) : [];
  return uniqueResources(object).flatMap((metric): readonly Found[] => {
    const without = new Map<string, number>();
    for (const pod of pods) {
      for (const name of containersWithout(pod, metric)) without.set(name, (without.get(name) ?? 0) + 1);
    }
    const ofJobs = jobPods(facts.pods, metric);
    if (without.size === 0) return ofJobs;
    return [
      ...ofJobs,
      {
        title: `a container has no ${metric.name} request, so its utilization is unknown`,
        evidence: [...without].map(([name, count]) => {
          const isInjected = template.length > 0 && !template.includes(name);
          const origin = isInjected ? "; it is injected: it's not in the target's template" : "";
          const value = `has no ${metric.name} request in ${count} of ${counted(pods.length, "pod")}${origin}`;
          return item(`container ${name}`, value, "pods .spec.containers");
        }),
        fix: /^(?:cpu|memory)$/.test(metric.name)
          ? undefined
          : "metrics.k8s.io has cpu and memory only: use one of them",
      },
    ];
  });
}

function isOfJob(pod: Fields): boolean {
  return controllerOf(pod)?.kind === "Job";
}

/** The controller counts all pods that the selector matches, and those that ended, too. */
function jobPods(pods: readonly Fields[], metric: Metric): readonly Found[] {
  const matched = pods.filter(isOfJob).filter((pod) => lacksRequest(pod, metric));
  if (matched.length === 0) return [];
  const evidence = matched.slice(0, maxJobPods).map((pod) => {
    const { name = "" } = controllerOf(pod) ?? {};
    const value = `is of Job/${name}, matches the target's selector, and has no ${metric.name} request${metric.container === "" ? "" : ` for a container ${metric.container}`}`;
    return item(`pod ${nameOf(pod)}`, value, "pods .metadata.ownerReferences");
  });
  return [
    {
      title: `the target's selector matches ${counted(matched.length, "pod")} of a Job, so utilization is unknown`,
      evidence,
      fix: "make the selector match the target's own pods only: remove one of its labels from the Job's pod template, or recreate the target with another label in selector and template",
    },
  ];
}

const maxJobPods = 5;

function lacksRequest(pod: Fields, metric: Metric): boolean {
  const { container } = metric;
  const isAbsent = container !== "" && !containerNames(pod["spec"]).includes(container);
  return isAbsent || containersWithout(pod, metric).length > 0;
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
  const pods = facts.pods.filter((pod) => isLiving(pod) && !isOfJob(pod));
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
        fix: near[0] === undefined ? undefined : `use a container that the pods have, such as ${near[0]}`,
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
  const division = `${showRatio(ratio)} of the target × ${current} ÷ ${current - 1} pods = ${showRatio(after)}, which is above 1`;
  return item(step.name, division, "the newest decision");
}

export const requestRules: readonly Rule[] = [
  objectRule({
    id: "PL-014",
    severity: "error",
    title: "a container has no request for a resource with a utilization target",
    condition:
      "A metric has a utilization target, and a running container or sidecar has no request for that resource. The same applies to pods of a Job that the target's selector matches.",
    fix: "set the request of the container, or use a ContainerResource metric of the main container",
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
    fix: "use a container that the pods have",
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
      "One container has at least half of the requests and uses less than 20 % of them. Another container uses more than 20 % of its requests.",
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
      "The replicas have not changed for an hour and are above minReplicas. A metric is below its target, and would exceed it with one pod fewer.",
    fix: "raise the target or the requests if fewer pods are enough",
    isFromRecords: true,
    needs: ["decision"],
    check: cannotFall,
  }),
];
