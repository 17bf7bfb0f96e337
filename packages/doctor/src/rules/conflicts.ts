// Rules about several controllers that want to scale one workload.
import { type Autoscaler, keyOf, mayWrite, ownCondition } from "../evidence/autoscaler.ts";
import { eventsAbout, eventTimeMs } from "../evidence/events.ts";
import type { Selection } from "../evidence/facts.ts";
import { at, type Fields, labelsOf, listOf, textOf, textsOf } from "../evidence/fields.ts";
import {
  isOwnedBy,
  isSame,
  nameOf,
  printReference,
  type Reference,
  readReference,
  writersOf,
} from "../evidence/meta.ts";
import {
  checkPart,
  type Found,
  item,
  type ObjectContext,
  type Outcome,
  objectRule,
  type Rule,
} from "../rule.ts";
import { counted, printSome } from "../text/lists.ts";
import { printClock } from "../text/time.ts";

function isOther(a: Autoscaler, b: Pick<Autoscaler, "kind" | "namespace" | "name">): boolean {
  return a.kind !== b.kind || a.name !== b.name || a.namespace !== b.namespace;
}

function oneTarget({ object, facts }: ObjectContext<"hpas">): readonly Found[] {
  const others = facts.hpas.filter((hpa) => isOther(object, hpa) && isSame(hpa.target, object.target));
  if (others.length === 0) return [];
  return [
    {
      evidence: [object, ...others].map((hpa) =>
        item(
          keyOf(hpa),
          `scales ${printReference(hpa.target)}`,
          `${hpa.kind} ${keyOf(hpa)} .spec.scaleTargetRef`,
        ),
      ),
    },
  ];
}

function sharedPods({ object, facts }: ObjectContext<"selections" | "pods">): readonly Found[] {
  const own = new Set(facts.pods.map(nameOf));
  const shared = facts.selections.flatMap((selection) => {
    const pods = selection.pods.filter((pod) => own.has(pod));
    const isMeant = !isOther(object, selection.object) || isSame(selection.object.target, object.target);
    return isMeant || pods.length === 0 ? [] : [{ selection, pods }];
  });
  if (shared.length === 0) return [];
  const mine = facts.selections.find((selection) => !isOther(object, selection.object));
  return [
    {
      evidence: [
        ...(mine === undefined ? [] : [selectionItem(mine)]),
        ...shared.flatMap(({ selection, pods }) => [
          selectionItem(selection),
          item(counted(pods.length, "pod"), `of both: ${printSome(pods)}`, "pods"),
        ]),
      ],
    },
  ];
}

function selectionItem({ object, selector }: Selection) {
  const where = `${printReference(object.target)} scale .status.selector`;
  return item(keyOf(object), `selects ${selector}`, where);
}

/** Every kind of other scaler is a part of its own, since each list may be unreadable. */
function otherScalers(context: ObjectContext): readonly Outcome[] {
  const { object, readings } = context;
  return [
    ...checkPart(readings.scaledObjects, (found) => scaledObjectsOf(object, found)),
    ...checkPart(readings[object.kind === "WorkloadAutoscaler" ? "hpas" : "wlas"], (found) =>
      plimsollOf(object, found),
    ),
    ...checkPart(readings.datadogAutoscalers, (found) =>
      found
        .filter((one) => isSame(readReference(at(one, "spec", "targetRef")), object.target))
        .filter((one) => !isPreview(one))
        .map((one) => beside("DatadogPodAutoscaler", nameOf(one), "spec.targetRef", object)),
    ),
    ...checkPart(readings.deployments, (found) =>
      found
        .filter((one) => isProportional(one, object.target))
        .map((one) =>
          beside("Deployment", nameOf(one), "spec.template (cluster-proportional-autoscaler)", object),
        ),
    ),
  ];
}

function scaledObjectsOf(object: Autoscaler, found: readonly Fields[]): readonly Found[] {
  return found
    .filter((one) => isSame(readReference(at(one, "spec", "scaleTargetRef"), "Deployment"), object.target))
    .filter((one) => !isHpaOf(object, one) && !isPausedAsItIs(one))
    .map((one) => beside("ScaledObject", nameOf(one), "spec.scaleTargetRef", object));
}

/** By v1alpha2 and by v1alpha1. */
function isPreview(datadogAutoscaler: Fields): boolean {
  return (
    at(datadogAutoscaler, "spec", "applyPolicy", "mode") === "Preview" ||
    at(datadogAutoscaler, "spec", "policy", "applyMode") === "None"
  );
}

/** Without a count that KEDA would keep the target at. */
function isPausedAsItIs(scaledObject: Fields): boolean {
  const annotations = labelsOf(at(scaledObject, "metadata", "annotations"));
  const prefix = "autoscaling.keda.sh/paused";
  return annotations[prefix] === "true" && annotations[`${prefix}-replicas`] === undefined;
}

/** KEDA makes an HPA of each ScaledObject, or takes one over. */
export function isHpaOf({ name, raw }: Autoscaler, scaledObject: Fields): boolean {
  return (
    isOwnedBy(raw, { kind: "ScaledObject", name: nameOf(scaledObject) }) ||
    textOf(at(scaledObject, "status", "hpaName")) === name
  );
}

/** A WorkloadAutoscaler that only watches is no conflict. */
function plimsollOf(object: Autoscaler, found: readonly Autoscaler[]): readonly Found[] {
  return found
    .filter((one) => isSame(one.target, object.target))
    .filter((one) => (one.kind === "WorkloadAutoscaler" ? one : object).mode === "Active")
    .map((one) => beside(one.kind, one.name, "spec.scaleTargetRef", object));
}

function isProportional(deployment: Fields, target: Reference): boolean {
  const wanted = `--target=${target.kind}/${target.name}`.toLowerCase();
  return listOf(at(deployment, "spec", "template", "spec", "containers")).some(
    ({ image, command, args }) =>
      textOf(image).includes("proportional-autoscaler") &&
      [...textsOf(command), ...textsOf(args)].some((arg) => arg.toLowerCase() === wanted),
  );
}

function beside(kind: string, name: string, field: string, { namespace, target }: Autoscaler): Found {
  return {
    title: `a ${kind} scales the same target`,
    evidence: [
      item(`${kind} ${name}`, `scales ${printReference(target)}`, `${kind} ${namespace}/${name} .${field}`),
    ],
  };
}

function cronHpaOnTarget({ object, facts }: ObjectContext<"cronHpas">): readonly Found[] {
  return facts.cronHpas
    .filter((one) => isSame(readReference(at(one, "spec", "scaleTargetRef")), object.target))
    .map((one) => ({
      evidence: [
        item(
          `CronHorizontalPodAutoscaler ${nameOf(one)}`,
          `scales ${printReference(object.target)}`,
          `CronHorizontalPodAutoscaler ${object.namespace}/${nameOf(one)} .spec.scaleTargetRef`,
        ),
      ],
      fix: `let the CronHorizontalPodAutoscaler name the HorizontalPodAutoscaler ${object.name} as its target, or use schedules of a WorkloadAutoscaler`,
    }));
}

const foreignWriter = "ForeignWriter";

function yieldedTo(context: ObjectContext): readonly Outcome[] {
  const { object, readings } = context;
  if (object.kind === "WorkloadAutoscaler") {
    const active = ownCondition(object, "Active");
    if (active?.status !== "False" || active.reason !== foreignWriter) return [];
    return [
      {
        evidence: [item("Active", active.message, `WorkloadAutoscaler ${keyOf(object)} .status.conditions`)],
      },
    ];
  }
  return checkPart(readings.events, (events) => {
    const last = eventsAbout(events, object).findLast((event) => event["reason"] === foreignWriter);
    if (last === undefined) return [];
    const atMs = eventTimeMs(last);
    if (atMs !== undefined && atMs < reclaimedMs(object)) return [];
    const when = atMs === undefined ? "" : ` at ${printClock(atMs)}`;
    return [
      { evidence: [item(`${foreignWriter}${when}`, textOf(last["message"]), `events of ${keyOf(object)}`)] },
    ];
  });
}

/** The event stays for an hour, whatever happened since. */
function reclaimedMs({ raw }: Autoscaler): number {
  const writers = writersOf(raw, ["metadata", "annotations", "autoscaling.plimsoll.dev/reclaim"]);
  return Math.max(0, ...writers.flatMap(({ atMs }) => atMs ?? []));
}

export const conflictRules: readonly Rule[] = [
  objectRule({
    id: "PL-001",
    severity: "error",
    title: "two HorizontalPodAutoscalers scale one target",
    condition: "Another HorizontalPodAutoscaler of the namespace names the same target.",
    fix: "merge their metrics into one object and delete the other: each undoes what the other does",
    isFromRecords: true,
    isForManifests: true,
    needs: ["hpas"],
    applies: ({ kind }) => kind === "HorizontalPodAutoscaler",
    check: oneTarget,
  }),
  objectRule({
    id: "PL-002",
    severity: "error",
    title: "its pods are selected by other autoscalers, too",
    condition: "The selector of another autoscaler's target matches some of the same pods.",
    fix: "give each workload labels of its own and select by them: a controller refuses to scale pods that are not clearly its own",
    isFromRecords: true,
    needs: ["selections", "pods"],
    check: sharedPods,
  }),
  objectRule({
    id: "PL-003",
    severity: "error",
    title: "another autoscaler scales the same target",
    condition:
      "A ScaledObject of KEDA that did not make this object, an active WorkloadAutoscaler, a DatadogPodAutoscaler or a cluster-proportional-autoscaler has the same target.",
    fix: "keep one of them",
    isForManifests: true,
    needs: [],
    uses: ["scaledObjects", "hpas", "wlas", "datadogAutoscalers", "deployments"],
    applies: mayWrite,
    check: otherScalers,
  }),
  objectRule({
    id: "PL-004",
    severity: "error",
    title: "a CronHorizontalPodAutoscaler scales the workload of an autoscaler",
    condition:
      "A CronHorizontalPodAutoscaler names the workload, and not the HorizontalPodAutoscaler that scales it.",
    fix: "let the CronHorizontalPodAutoscaler name the autoscaler as its target, or use schedules",
    isForManifests: true,
    needs: ["cronHpas"],
    applies: mayWrite,
    check: cronHpaOnTarget,
  }),
  objectRule({
    id: "PL-005",
    severity: "error",
    title: "another client writes what the autoscaler manages",
    condition: "The autoscaler found a foreign writer and only watches since then (ForeignWriter).",
    fix: "stop the other writer, then change the annotation autoscaling.plimsoll.dev/reclaim of the object",
    isFromRecords: true,
    needs: [],
    uses: ["events"],
    check: yieldedTo,
  }),
];
