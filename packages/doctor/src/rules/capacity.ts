// Rules about pods that do not start, quotas, nodes and disruption budgets.
import { counted, type Fields, shellWord, textOf } from "@plimsoll/core/internal/values";
import { labelSelector, SelectorError } from "@plimsoll/core/selector";
import type { Autoscaler } from "../evidence/autoscaler.ts";
import { eventMessage, eventsAbout, eventTimeMs } from "../evidence/events.ts";
import { at, labelsOf, listOf, numberOf } from "../evidence/fields.ts";
import { conditionOf, createdAtMs, nameOf, printReference, replicasOf } from "../evidence/meta.ts";
import { proposedBy } from "../evidence/past-decision.ts";
import { isLiving, isReady, podRequest } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import {
  checkPart,
  type Found,
  item,
  type ObjectContext,
  type Outcome,
  objectRule,
  type Rule,
} from "../rule.ts";
import { amountOf, printAmount } from "../text/amount.ts";
import { printClock } from "../text/time.ts";
import { thresholds } from "../thresholds.ts";

function podsNotStarting({ object, facts, readings, nowMs }: ObjectContext<"pods">): readonly Found[] {
  const living = facts.pods.filter(isLiving);
  const ready = living.filter(isReady).length;
  const decision = valueOf(readings.decision);
  const wanted = (decision && proposedBy(decision)) ?? object.desiredReplicas ?? living.length;
  if (wanted <= ready) return [];
  const reasons = new Map<string, number>();
  for (const pod of living) {
    const reason = isReady(pod) ? undefined : startProblem(pod, nowMs);
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  if (reasons.size === 0) return [];
  const total = [...reasons.values()].reduce((sum, count) => sum + count, 0);
  return [
    {
      title: `${counted(total, "pod")} ${total === 1 ? "does" : "do"} not start, while ${wanted} are wanted and ${ready} are ready`,
      evidence: [...reasons].map(([reason, count]) => item(counted(count, "pod"), reason, "pods .status")),
    },
  ];
}

const failing = /BackOff|ErrImage|InvalidImage|CreateContainer|RunContainerError/;

function startProblem(pod: Fields, nowMs: number): string | undefined {
  const waiting = [
    ...listOf(at(pod, "status", "containerStatuses")),
    ...listOf(at(pod, "status", "initContainerStatuses")),
  ].flatMap((status) => {
    const reason = textOf(at(status, "state", "waiting", "reason"));
    return failing.test(reason) ? [`${reason} (container ${textOf(status["name"])})`] : [];
  });
  if (waiting[0] !== undefined) return waiting[0];
  const ageMs = nowMs - (createdAtMs(pod) ?? nowMs);
  if (at(pod, "status", "phase") !== "Pending" || ageMs < thresholds.pendingMs) return undefined;
  const scheduled = conditionOf(pod, "PodScheduled");
  return scheduled?.status === "False" ? `${scheduled.reason}: ${scheduled.message}` : "Pending";
}

const quotaExceeded = /exceeded quota/;

/** A Deployment repeats the failure of its ReplicaSet; of other kinds only events show it. */
function quotaFailure({ object, facts, readings }: ObjectContext<"target">): readonly Outcome[] {
  const { target } = object;
  const failure = facts.target.found ? conditionOf(facts.target.object, "ReplicaFailure") : undefined;
  if (failure?.status === "True" && quotaExceeded.test(failure.message)) {
    const where = `${target.kind} ${object.namespace}/${target.name} .status.conditions`;
    return [{ evidence: [item(failure.reason, failure.message, where)] }];
  }
  if (facts.target.found && (target.kind === "Deployment" || hasAllPods(facts.target.object))) return [];
  return checkPart(readings.events, (events) => {
    const last = eventsAbout(events, target).findLast(
      (event) => event["reason"] === "FailedCreate" && quotaExceeded.test(eventMessage(event)),
    );
    if (last === undefined) return [];
    const atMs = eventTimeMs(last);
    const when = atMs === undefined ? "" : ` at ${printClock(atMs)}`;
    return [
      { evidence: [item(`FailedCreate${when}`, eventMessage(last), `events of ${printReference(target)}`)] },
    ];
  });
}

/** Events stay for an hour, whatever happened since. */
function hasAllPods(workload: Fields): boolean {
  const replicas = numberOf(at(workload, "status", "replicas"));
  return replicas !== undefined && replicas >= (replicasOf(workload) ?? 1);
}

const resources = ["cpu", "memory"] as const;

function tooMany(context: ObjectContext): readonly Outcome[] {
  const { object, readings } = context;
  const spec = podSpecOf(context);
  if (spec === undefined) return [{ skipped: reasonOf(context) }];
  return [
    ...checkPart(readings.quotas, (quotas) => quotas.flatMap((quota) => beyondQuota(object, spec, quota))),
    ...checkPart(readings.nodes, (nodes) => beyondNodes(object, spec, nodes)),
  ];
}

/** The template of the target, or else a pod of it. */
function podSpecOf({ readings }: ObjectContext): unknown {
  const target = valueOf(readings.target);
  const template = target?.found === true ? at(target.object, "spec", "template", "spec") : undefined;
  return template ?? valueOf(readings.pods)?.[0]?.["spec"];
}

function reasonOf({ readings: { pods, target } }: ObjectContext): string {
  if (!pods.ok) return pods.reason;
  return target.ok ? "the pod's requests are unknown" : target.reason;
}

function beyondQuota(object: Autoscaler, spec: unknown, quota: Fields): readonly Found[] {
  // A quota with scopes counts some pods only.
  if (listOf(at(quota, "spec", "scopeSelector", "matchExpressions")).length > 0) return [];
  if (Array.isArray(at(quota, "spec", "scopes"))) return [];
  const hard = at(quota, "spec", "hard");
  const limits = [
    { name: "pods", each: 1, hard: amountOf(at(hard, "pods")) },
    ...resources.map((name) => ({
      name,
      each: podRequest(spec, name),
      hard: amountOf(at(hard, `requests.${name}`)) ?? amountOf(at(hard, name)),
    })),
  ];
  return limits.flatMap(({ name, each, hard: limit }): readonly Found[] => {
    if (each === undefined || limit === undefined || each * object.maxReplicas <= limit) return [];
    const where = `ResourceQuota ${object.namespace}/${nameOf(quota)} .spec.hard`;
    return [
      tooManyOf(
        object,
        { name, each },
        item(`quota ${nameOf(quota)}`, `allows ${printAmount(limit, name)}`, where),
      ),
    ];
  });
}

function tooManyOf(
  object: Autoscaler,
  { name, each }: { readonly name: string; readonly each: number },
  limit: ReturnType<typeof item>,
): Found {
  const all = each * object.maxReplicas;
  const product = `${object.maxReplicas} × ${printAmount(each, name)} = ${printAmount(all, name)}`;
  return {
    title: `maxReplicas needs more ${name} than available`,
    evidence: [item(name, product, `${object.kind} .spec.maxReplicas, requests of a pod`), limit],
  };
}

/** Karpenter adds nodes of its own, so the present ones are no limit. */
const addsNodes = "karpenter.sh/nodepool";

function beyondNodes(object: Autoscaler, spec: unknown, nodes: readonly Fields[]): readonly Found[] {
  const isGrowing = nodes.some((node) => addsNodes in labelsOf(at(node, "metadata", "labels")));
  if (isGrowing || nodes.length === 0) return [];
  return resources.flatMap((name): readonly Found[] => {
    const each = podRequest(spec, name);
    const all = nodes.reduce(
      (sum, node) => sum + (amountOf(at(node, "status", "allocatable", name)) ?? 0),
      0,
    );
    if (each === undefined || all === 0 || each * object.maxReplicas <= all) return [];
    const limit = item(
      counted(nodes.length, "node"),
      `can allocate ${printAmount(all, name)}`,
      "nodes .status.allocatable",
    );
    return [
      {
        ...tooManyOf(object, { name, each }, limit),
        // Nothing of a node says whether others are added when they are needed.
        severity: "info",
        fix: "lower maxReplicas, unless nodes are added on demand",
      },
    ];
  });
}

function blockedDrains(context: ObjectContext<"pdbs">): readonly Outcome[] {
  const { object, facts } = context;
  const labels = podLabels(context);
  if (facts.pdbs.length === 0 || object.minReplicas < 1) return [];
  if (labels === undefined) return [{ skipped: reasonOf(context) }];
  return facts.pdbs
    .filter((pdb) => selects(at(pdb, "spec", "selector"), labels))
    .flatMap((pdb): readonly Found[] => {
      const text = blocking(pdb, object.minReplicas + otherPods(pdb, context));
      if (text === undefined) return [];
      const where = `PodDisruptionBudget ${object.namespace}/${nameOf(pdb)} .spec`;
      const evidence = [
        item(`PodDisruptionBudget ${nameOf(pdb)}`, text, where),
        item("minReplicas", String(object.minReplicas), `${object.kind} .spec.minReplicas`),
      ];
      return [{ evidence, command: maxUnavailable(pdb, object.namespace) }];
    });
}

function maxUnavailable(pdb: Fields, namespace: string): string {
  const patch = '{"spec":{"minAvailable":null,"maxUnavailable":1}}';
  return `kubectl patch pdb ${shellWord(nameOf(pdb))} -n ${shellWord(namespace)} --type=merge -p '${patch}'`;
}

function podLabels({ readings }: ObjectContext): Readonly<Record<string, string>> | undefined {
  const target = valueOf(readings.target);
  const template =
    target?.found === true ? at(target.object, "spec", "template", "metadata", "labels") : undefined;
  const pod = valueOf(readings.pods)?.[0];
  if (template === undefined && pod === undefined) return undefined;
  return labelsOf(template ?? at(pod, "metadata", "labels"));
}

function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  try {
    return labelSelector(selector as Parameters<typeof labelSelector>[0]).matches(labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** Pods that the budget counts beside those of the object. */
function otherPods(pdb: Fields, { readings }: ObjectContext): number {
  const expected = numberOf(at(pdb, "status", "expectedPods"));
  const own = valueOf(readings.pods)?.filter(isLiving).length;
  return expected === undefined || own === undefined ? 0 : Math.max(0, expected - own);
}

/** What keeps every pod at the minimum, of all pods that the budget counts; undefined when one may go. */
function blocking(pdb: Fields, minPods: number): string | undefined {
  const minAvailable = at(pdb, "spec", "minAvailable");
  const maxUnavailable = at(pdb, "spec", "maxUnavailable");
  if (maxUnavailable === 0 || maxUnavailable === "0" || maxUnavailable === "0%")
    return `has maxUnavailable: ${String(maxUnavailable)}`;
  const percent = typeof minAvailable === "string" ? /^(\d+)%$/.exec(minAvailable)?.[1] : undefined;
  const needed =
    percent === undefined ? amountOf(minAvailable) : Math.ceil((Number(percent) / 100) * minPods);
  return needed !== undefined && needed >= minPods ? `has minAvailable: ${String(minAvailable)}` : undefined;
}

export const capacityRules: readonly Rule[] = [
  objectRule({
    id: "PL-033",
    severity: "warn",
    title: "pods do not start while more replicas are wanted",
    condition:
      "More replicas are wanted than are ready, and pods are pending for two minutes or cannot start. Until they are ready, they count as 0 usage.",
    fix: "add capacity, or correct the pods' image or configuration",
    needs: ["pods"],
    uses: ["decision"],
    check: podsNotStarting,
  }),
  objectRule({
    id: "PL-034",
    severity: "error",
    title: "a quota rejects pods",
    condition: 'The creation of pods fails with "exceeded quota".',
    fix: "raise the ResourceQuota, or lower the requests or maxReplicas",
    needs: ["target"],
    uses: ["events"],
    check: quotaFailure,
  }),
  objectRule({
    id: "PL-035",
    severity: "warn",
    title: "maxReplicas needs more resources than available",
    condition:
      "maxReplicas times the requests of a pod exceeds a ResourceQuota. If it only exceeds what all nodes can allocate, that is a note.",
    fix: "lower maxReplicas, or raise the quota",
    isForManifests: true,
    needs: [],
    uses: ["quotas", "nodes", "target", "pods"],
    check: tooMany,
  }),
  objectRule({
    id: "PL-036",
    severity: "warn",
    title: "a PodDisruptionBudget blocks drains at minReplicas",
    condition: "A PodDisruptionBudget allows no eviction at minReplicas.",
    fix: "use maxUnavailable: 1 instead of minAvailable, or raise minReplicas. Until then, nodes with these pods can't be drained",
    isForManifests: true,
    needs: ["pdbs"],
    uses: ["target", "pods"],
    check: blockedDrains,
  }),
];
