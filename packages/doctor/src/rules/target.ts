// Rules about the target, its scale and its pods.
import { counted, type Fields, selectorTextProblem, shellWord, textOf } from "@plimsoll/core/internal/values";
import { type Autoscaler, ownCondition } from "../evidence/autoscaler.ts";
import { at } from "../evidence/fields.ts";
import { controllerOf, nameOf, printReference, writersOf } from "../evidence/meta.ts";
import { valueOf } from "../evidence/reading.ts";
import { type Found, item, type ObjectContext, type Outcome, objectRule, type Rule } from "../rule.ts";
import { printSome } from "../text/lists.ts";
import { printClock } from "../text/time.ts";

function referenceField({ kind, namespace, name }: Autoscaler): string {
  return `${kind} ${namespace}/${name} .spec.scaleTargetRef`;
}

function scaleField({ namespace, target }: Autoscaler, field: string): string {
  return `${target.kind} ${namespace}/${target.name} scale ${field}`;
}

function targetMissing({ object, facts, readings }: ObjectContext<"target">): readonly Found[] {
  const { target } = object;
  const where = referenceField(object);
  if (!facts.target.found) {
    const { message, isUnknownKind, candidates } = facts.target;
    const isRetired = /^(?:extensions\/|apps\/v1beta\d$)/.test(target.apiVersion);
    return [
      {
        title: isUnknownKind ? "the API server does not know the target's kind" : "the target does not exist",
        evidence: [
          item(printReference(target), message, where),
          ...(isRetired ? [item(target.apiVersion, "is no longer served", where)] : []),
          ...(candidates.length === 0 ? [] : [item("there is", printSome(candidates), "the API server")]),
        ],
        fix: isRetired ? "set scaleTargetRef.apiVersion to apps/v1" : undefined,
      },
    ];
  }
  const scale = valueOf(readings.scale);
  if (scale === undefined || scale.found) return [];
  return [
    {
      title: "the target has no scale subresource",
      evidence: [item(printReference(target), scale.message, scaleField(object, ""))],
      fix: "use a target that can be scaled, or add the scale subresource to its CustomResourceDefinition",
    },
  ];
}

function selectorUnusable({ object, facts, readings }: ObjectContext<"scale">): readonly Found[] {
  const { scale } = facts;
  if (!scale.found) return [];
  const problem = selectorProblem(scale.selector);
  if (problem === undefined) return [];
  const path = readings.selectorPath;
  const where = scaleField(object, ".status.selector");
  return [
    {
      title:
        scale.selector === ""
          ? "the target's scale has no selector"
          : "the target's scale has an unreadable selector",
      evidence: [
        item(printReference(object.target), problem, where),
        ...(path.ok && path.value !== undefined
          ? [
              item(
                "labelSelectorPath",
                path.value === "" ? "is not set" : path.value,
                "its CustomResourceDefinition",
              ),
            ]
          : []),
      ],
    },
  ];
}

function selectorProblem(text: string): string | undefined {
  if (text === "") return "has no selector";
  const problem = selectorTextProblem(text);
  return problem === undefined ? undefined : `has the selector ${JSON.stringify(text)}: ${problem}`;
}

/** Kinds whose pods name them, or a ReplicaSet named after them and a hash of the template. */
const knownKinds = new Set(["Deployment", "Rollout", "StatefulSet", "ReplicaSet", "ReplicationController"]);

function foreignPods({ object, facts }: ObjectContext<"pods">): readonly Outcome[] {
  if (facts.pods.length > 0 && facts.pods.every((pod) => controllerOf(pod) === undefined))
    return [{ skipped: "the owners of the pods are unknown" }];
  const owners = new Map<string, string[]>();
  for (const pod of facts.pods) {
    const owner = ownerOf(pod);
    if (owner === printReference(object.target)) continue;
    owners.set(owner, [...(owners.get(owner) ?? []), nameOf(pod)]);
  }
  if (!isForeign(object, [...owners.keys()])) return [];
  return [
    {
      evidence: [...owners].map(([owner, pods]) =>
        item(
          owner,
          `owns ${counted(pods.length, "pod")}: ${printSome(pods, 3)}`,
          "pods .metadata.ownerReferences",
        ),
      ),
    },
  ];
}

const noController = "no controller";

/** Other kinds may make several workloads, such as one for each revision, but hardly a Job beside them. */
function isForeign({ target }: Autoscaler, owners: readonly string[]): boolean {
  if (knownKinds.has(target.kind)) return owners.length > 0;
  return owners.length > 1 && owners.some((owner) => owner.startsWith("Job/") || owner === noController);
}

/** "Deployment/shop" of the ReplicaSet "shop-5d89" with that hash. */
function ownerOf(pod: Fields): string {
  const owner = controllerOf(pod);
  if (owner === undefined) return noController;
  if (owner.kind !== "ReplicaSet") return printReference(owner);
  const labels = at(pod, "metadata", "labels");
  for (const [label, kind] of [
    ["rollouts-pod-template-hash", "Rollout"],
    ["pod-template-hash", "Deployment"],
  ] as const) {
    const hash = textOf(at(labels, label));
    if (hash !== "" && owner.name.endsWith(`-${hash}`))
      return printReference({ kind, name: owner.name.slice(0, -hash.length - 1) });
  }
  return printReference(owner);
}

function scaledToZero({ object, facts, readings }: ObjectContext<"scale">): readonly Found[] {
  const { scale } = facts;
  if (!scale.found || scale.specReplicas !== 0) return [];
  if (object.minReplicas === 0 || ownCondition(object, "ScaledToZero")?.status === "True") return [];
  // KEDA scales to zero and back by itself, beside the HPA that it makes.
  if (controllerOf(object.raw)?.kind === "ScaledObject") return [];
  const target = valueOf(readings.target);
  const writers = target?.found === true ? writersOf(target.object, ["spec", "replicas"]) : [];
  const last = writers.toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0))[0];
  const when = last?.atMs === undefined ? "" : ` at ${printClock(last.atMs)}`;
  return [
    {
      evidence: [
        item("spec.replicas", "0", scaleField(object, ".spec.replicas")),
        ...(last === undefined
          ? []
          : [item(`${last.manager} (${last.operation})`, `set it${when}`, "managedFields of the target")]),
      ],
      command: `kubectl scale ${shellWord(object.target.kind.toLowerCase())} ${shellWord(object.target.name)} -n ${shellWord(object.namespace)} --replicas=${Math.max(1, object.minReplicas)}`,
    },
  ];
}

export const targetRules: readonly Rule[] = [
  objectRule({
    id: "PL-010",
    severity: "error",
    title: "the target does not exist",
    condition: "The object in scaleTargetRef, its kind, or its scale subresource does not exist.",
    fix: "correct scaleTargetRef",
    isFromRecords: true,
    isForManifests: true,
    needs: ["target"],
    uses: ["scale"],
    check: targetMissing,
  }),
  objectRule({
    id: "PL-011",
    severity: "error",
    title: "the target's scale has no usable selector",
    condition: "status.selector of the scale subresource is empty or cannot be read as a label selector.",
    fix: "set labelSelectorPath in the CustomResourceDefinition to a status string with the pods' label selector",
    isFromRecords: true,
    needs: ["scale"],
    uses: ["selectorPath"],
    check: selectorUnusable,
  }),
  objectRule({
    id: "PL-012",
    severity: "warn",
    title: "the selector matches other workloads' pods",
    condition: "Some pods that the selector matches belong to another workload, to a Job or to nothing.",
    fix: "select by a label that only the workload's pods have: the other pods affect the decision",
    isFromRecords: true,
    needs: ["pods"],
    check: foreignPods,
  }),
  objectRule({
    id: "PL-013",
    severity: "info",
    title: "the target has 0 replicas, so the autoscaler leaves it at 0",
    condition: "Another client set the target to 0 replicas, so the autoscaler leaves it alone.",
    fix: "scale it to 1 or more to turn autoscaling back on",
    isFromRecords: true,
    needs: ["scale"],
    uses: ["target"],
    check: scaledToZero,
  }),
];
