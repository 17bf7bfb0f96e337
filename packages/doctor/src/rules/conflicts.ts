// Rules about several controllers that want to scale one workload.
import { counted, type Fields, textOf } from "@plimsoll/core/internal/values";
import { type Autoscaler, keyOf, mayWrite } from "../evidence/autoscaler.ts";
import type { Selection } from "../evidence/facts.ts";
import { at, labelsOf, listOf, textsOf } from "../evidence/fields.ts";
import {
  isOwnedBy,
  isSame,
  nameOf,
  printReference,
  type Reference,
  readReference,
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
import { printSome } from "../text/lists.ts";
import { otherWriterRule } from "./other-writer.ts";

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
      fix: `set the CronHorizontalPodAutoscaler's target to the HorizontalPodAutoscaler ${object.name}, or use schedules of a WorkloadAutoscaler`,
    }));
}

export const conflictRules: readonly Rule[] = [
  objectRule({
    id: "PL-001",
    severity: "error",
    title: "two HorizontalPodAutoscalers scale one target",
    condition: "Another HorizontalPodAutoscaler in the namespace has the same target.",
    fix: "merge their metrics into one object and delete the other: each undoes the other's changes",
    isFromRecords: true,
    isForManifests: true,
    needs: ["hpas"],
    applies: ({ kind }) => kind === "HorizontalPodAutoscaler",
    check: oneTarget,
  }),
  objectRule({
    id: "PL-002",
    severity: "error",
    title: "other autoscalers select the same pods",
    condition: "The selector of another autoscaler's target matches some of the same pods.",
    fix: "use unique labels for each workload in its selector: no controller scales pods that several autoscalers select",
    isFromRecords: true,
    needs: ["selections", "pods"],
    check: sharedPods,
  }),
  objectRule({
    id: "PL-003",
    severity: "error",
    title: "another autoscaler scales the same target",
    condition:
      "A foreign ScaledObject, an active WorkloadAutoscaler, a DatadogPodAutoscaler, or a cluster-proportional-autoscaler has the same target.",
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
      "A CronHorizontalPodAutoscaler targets the workload instead of the HorizontalPodAutoscaler that scales it.",
    fix: "set the CronHorizontalPodAutoscaler's target to the autoscaler, or use schedules",
    isForManifests: true,
    needs: ["cronHpas"],
    applies: mayWrite,
    check: cronHpaOnTarget,
  }),
  otherWriterRule,
];
