// Rules about who else sets the replicas of a target, and about vertical autoscalers.
import { type Fields, textOf } from "@plimsoll/core/internal/values";
import { type Autoscaler, isUtilization, keyOf, type Metric, mayWrite } from "../evidence/autoscaler.ts";
import {
  eventCount,
  eventMessage,
  eventStartMs,
  eventsAbout,
  eventTimeMs,
  isCombined,
  rescalesOf,
} from "../evidence/events.ts";
import { at, listOf, numberOf, textsOf } from "../evidence/fields.ts";
import {
  type FieldWriter,
  isSame,
  nameOf,
  printReference,
  readReference,
  replicasOf,
  writersOf,
} from "../evidence/meta.ts";
import { valueOf } from "../evidence/reading.ts";
import type { EvidenceItem } from "../finding.ts";
import { type Found, item, type ObjectContext, objectRule, type Rule } from "../rule.ts";
import { printClock } from "../text/time.ts";
import { thresholds } from "../thresholds.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const maxManifest = 262_144;

function targetText({ namespace, target }: Autoscaler): string {
  return `${target.kind} ${namespace}/${target.name}`;
}

function replicasInManifest({ object, facts: { target } }: ObjectContext<"target">): readonly Found[] {
  if (!target.found) return [];
  const written = writtenReplicas(target.object);
  const replicas = written ?? replicasApplied(target.object);
  if (replicas === undefined) return [];
  const from = written === undefined ? `.metadata.annotations["${lastApplied}"]` : ".spec.replicas";
  const effect = replicas === 0 ? ", which stops the autoscaler at each apply" : "";
  const said = `has replicas: ${replicas}${effect}`;
  return [{ evidence: [item("the manifest", said, `${targetText(object)} ${from}`)] }];
}

/** Of a manifest as it is kept in a repository; objects of a cluster always have a count. */
function writtenReplicas(target: Fields): number | undefined {
  return at(target, "metadata", "uid") === undefined && at(target, "status") === undefined
    ? numberOf(at(target, "spec", "replicas"))
    : undefined;
}

function replicasApplied(target: Fields): number | undefined {
  const text = textOf(at(target, "metadata", "annotations", lastApplied));
  if (text === "" || text.length > maxManifest) return undefined;
  try {
    const replicas = at(JSON.parse(text) as unknown, "spec", "replicas");
    return typeof replicas === "number" ? replicas : undefined;
  } catch {
    // What kubectl did not write says nothing.
    return undefined;
  }
}

/** Controllers that scale write the subresource, or these names. */
const scalers = /^(kube-controller-manager|plimsoll-|keda|horizontal-pod-autoscaler)/;

function otherManager(context: ObjectContext<"target">): readonly Found[] {
  const { object, facts } = context;
  if (!facts.target.found) return [];
  const writers = writersOf(facts.target.object, ["spec", "replicas"]).filter(
    ({ manager, subresource }) => subresource !== "scale" && !scalers.test(manager),
  );
  const resets = resetsOf(context);
  const applied = writers.filter(({ operation }) => operation === "Apply");
  const times = resets.reduce((sum, { count }) => sum + count, 0);
  if (applied.length === 0 && times < thresholds.resets) return [];
  const named = applied.length > 0 ? applied : writers;
  return [
    {
      evidence: [
        ...named.map((writer) => writerItem(writer, object)),
        ...resets.map((reset) =>
          item(`it changed ${reset.text}`, `at ${timesText(reset)}`, `events of ${targetText(object)}`),
        ),
      ],
      fix: `remove spec.replicas from the manifest, or ignore /spec/replicas for this ${object.target.kind}`,
    },
  ];
}

function writerItem({ manager, operation }: FieldWriter, object: Autoscaler): EvidenceItem {
  return item(
    `${manager} (${operation})`,
    "owns .spec.replicas",
    `${targetText(object)} .metadata.managedFields`,
  );
}

interface Reset {
  readonly text: string;
  readonly times: readonly number[];
  readonly count: number;
}

/** Changes of replicas that are no change of the autoscaler, and that a rollout does not repeat. */
function resetsOf({ object, nowMs, readings }: ObjectContext<"target">): readonly Reset[] {
  const events = valueOf(readings.events) ?? [];
  const wanted = new Set(rescalesOf(events, object).map(({ replicas }) => replicas));
  // Where the autoscaler changed nothing, every change is one of a person or of a rollout.
  if (wanted.size === 0) return [];
  const resets = new Map<string, Reset>();
  for (const event of eventsAbout(events, object.target)) {
    // The count of a combined event is one of different changes.
    const change = isCombined(event) ? undefined : changeOf(eventMessage(event));
    const lastMs = eventTimeMs(event);
    if (change === undefined || lastMs === undefined || wanted.has(change.to)) continue;
    if (nowMs - lastMs > thresholds.resetWindowMs) continue;
    const { times = [], count = 0 } = resets.get(change.key) ?? {};
    const seen = new Set([...times, eventStartMs(event) ?? lastMs, lastMs]);
    const text = `${change.from} -> ${change.to}`;
    resets.set(change.key, { text, times: [...seen], count: count + eventCount(event) });
  }
  return [...resets.values()].filter(({ count }) => count >= thresholds.resets);
}

/** An event has the first and the last time only. */
function timesText({ times, count }: Reset): string {
  const clocks = times.toSorted((a, b) => a - b).map(printClock);
  return clocks.length >= count ? clocks.join(", ") : `${clocks.join(", …, ")} (${count} times)`;
}

interface Change {
  /** The same ReplicaSet, from and to the same replicas. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

function changeOf(message: string): Change | undefined {
  const found = /replica set \S+ (?:from (\d+) to (\d+)|to (\d+) from (\d+))/.exec(message);
  if (found === null) return undefined;
  return { key: found[0], from: Number(found[1] ?? found[4]), to: Number(found[2] ?? found[3]) };
}

function rolloutReference({ object, facts }: ObjectContext<"rollouts" | "deployments">): readonly Found[] {
  const { target } = object;
  if (target.kind === "Deployment") {
    return facts.rollouts
      .filter((rollout) => isSame(workloadOf(rollout), target))
      .map((rollout) => ({
        title: "the target is the Deployment of a Rollout, which scales by itself",
        evidence: [
          item(
            `Rollout ${nameOf(rollout)}`,
            `runs the pods of ${printReference(target)}`,
            workloadField(object, rollout),
          ),
        ],
        fix: `let scaleTargetRef name the Rollout ${nameOf(rollout)}`,
      }));
  }
  const rollout = facts.rollouts.find((one) => nameOf(one) === target.name);
  const workload = rollout === undefined ? undefined : workloadOf(rollout);
  if (rollout === undefined || workload === undefined || workload.kind !== "Deployment") return [];
  const deployment = facts.deployments.find((one) => nameOf(one) === workload.name);
  const replicas = deployment === undefined ? 0 : (replicasOf(deployment) ?? 1);
  const isMoving = scaleDownOf(rollout) !== "never" && at(rollout, "status", "phase") !== "Healthy";
  if (replicas === 0 || isMoving) return [];
  return [
    {
      evidence: [
        item(
          `Deployment ${workload.name}`,
          `has replicas: ${replicas}`,
          `Deployment ${object.namespace}/${workload.name} .spec.replicas`,
        ),
        item(
          `Rollout ${target.name}`,
          `has scaleDown: ${scaleDownOf(rollout)}`,
          workloadField(object, rollout),
        ),
      ],
    },
  ];
}

function workloadOf(rollout: Fields) {
  return readReference(at(rollout, "spec", "workloadRef"));
}

function scaleDownOf(rollout: Fields): string {
  return textOf(at(rollout, "spec", "workloadRef", "scaleDown")) || "never";
}

function workloadField({ namespace }: Autoscaler, rollout: Fields): string {
  return `Rollout ${namespace}/${nameOf(rollout)} .spec.workloadRef`;
}

function verticalAutoscaler({ object, facts }: ObjectContext<"vpas">): readonly Found[] {
  const metrics = object.metrics.filter(isUtilization);
  return facts.vpas
    .filter((vpa) => isSame(readReference(at(vpa, "spec", "targetRef")), object.target))
    .filter((vpa) => vpaMode(vpa) !== "Off")
    .flatMap((vpa): readonly Found[] => {
      const both = [...new Set(metrics.filter((one) => controls(vpa, one)).map(({ name }) => name))];
      if (both.length === 0) return [];
      const where = `VerticalPodAutoscaler ${object.namespace}/${nameOf(vpa)} .spec`;
      return [
        {
          evidence: [
            item(
              `VerticalPodAutoscaler ${nameOf(vpa)} (${vpaMode(vpa)})`,
              `sets requests of ${both.join(", ")}`,
              where,
            ),
            item(
              keyOf(object),
              `scales by the utilization of ${both.join(", ")}`,
              `${object.kind} .spec.metrics`,
            ),
          ],
        },
      ];
    });
}

function vpaMode(vpa: Fields): string {
  return textOf(at(vpa, "spec", "updatePolicy", "updateMode")) || "Recreate";
}

/** Whether it sets requests that the metric is measured by; a container without a policy gets cpu and memory. */
function controls(vpa: Fields, { name, container }: Metric): boolean {
  const policies = listOf(at(vpa, "spec", "resourcePolicy", "containerPolicies"));
  const of = (wanted: string) => policies.find(({ containerName }) => containerName === wanted);
  const own = of(container) ?? of("*") ?? {};
  const relevant = container === "" && policies.length > 0 ? policies : [own];
  return relevant.some(({ mode, controlledResources: some }) => {
    const resources = Array.isArray(some) ? textsOf(some) : ["cpu", "memory"];
    return mode !== "Off" && resources.includes(name);
  });
}

export const writerRules: readonly Rule[] = [
  objectRule({
    id: "PL-006",
    severity: "warn",
    title: "the applied manifest sets replicas",
    condition: "The target's manifest sets spec.replicas, or the one that kubectl apply recorded on it does.",
    fix: "remove spec.replicas with kubectl apply edit-last-applied, then from the manifest. In the other order, the next apply sets 1 replica",
    isForManifests: true,
    needs: ["target"],
    applies: mayWrite,
    check: replicasInManifest,
  }),
  objectRule({
    id: "PL-007",
    severity: "error",
    title: "another manager sets the target's replicas",
    condition:
      "Another manager applies spec.replicas, or set the replicas back at least twice within 30 minutes.",
    fix: "remove spec.replicas from the manifest, or ignore /spec/replicas for this target in the tool that applies it",
    needs: ["target"],
    uses: ["events"],
    applies: mayWrite,
    check: otherManager,
  }),
  objectRule({
    id: "PL-008",
    severity: "error",
    title: "a Rollout and its Deployment both run pods",
    condition:
      "A Rollout refers to a Deployment with workloadRef, and that Deployment still has replicas. One of them is the target.",
    fix: "set spec.workloadRef.scaleDown of the Rollout to onsuccess, or the Deployment's replicas to 0",
    isForManifests: true,
    needs: ["rollouts", "deployments"],
    applies: ({ target }) => target.kind === "Rollout" || target.kind === "Deployment",
    check: rolloutReference,
  }),
  objectRule({
    id: "PL-009",
    severity: "warn",
    title: "a VerticalPodAutoscaler changes the requests that utilization is measured by",
    condition:
      "A VerticalPodAutoscaler that is not Off sets the requests of a resource with a utilization target.",
    fix: "use an averageValue target, or let the VerticalPodAutoscaler control other resources",
    isForManifests: true,
    needs: ["vpas"],
    applies: ({ metrics }) => metrics.some(isUtilization),
    check: verticalAutoscaler,
  }),
];
