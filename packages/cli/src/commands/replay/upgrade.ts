// What another release of Kubernetes changes, autoscaler by autoscaler.
import { printable } from "@plimsoll/component-base/text";
import { changingRules, type DecisionRecord, type ScalingRule, type SemanticsProfile } from "@plimsoll/core";
import { counted } from "@plimsoll/core/internal/values";
import type { Replayed, StepDifference } from "./compare.ts";
import type { ReplayUpgrade, UpgradedObject } from "./document.ts";

/** Of an autoscaler, that are shown. */
const maxExamples = 3;
const maxShown = 20;
const maxListed = 1000;

interface Gathered {
  decisions: number;
  changed: number;
  readonly examples: UpgradedObject["examples"][number][];
  readonly rules: Set<ScalingRule>;
  readonly fields: Map<string, number>;
}

/** Counts what changes, one record after the other. */
export type Upgrade = ReturnType<typeof createUpgrade>;

export function createUpgrade(to: SemanticsProfile) {
  const from = new Set<string>();
  const objects = new Map<string, Gathered>();
  return {
    add(record: DecisionRecord, replayed: Replayed): void {
      const { object, at, current, recorded, now } = replayed;
      from.add(record.semantics);
      const known: Gathered = objects.get(object) ?? {
        decisions: 0,
        changed: 0,
        examples: [],
        rules: new Set(),
        fields: new Map(),
      };
      objects.set(object, known);
      known.decisions += 1;
      for (const field of new Set(replayed.differences.flatMap(fieldOf)))
        known.fields.set(field, (known.fields.get(field) ?? 0) + 1);
      if (recorded === now) return;
      known.changed += 1;
      if (known.examples.length < maxExamples)
        known.examples.push({ at, current, from: record.semantics, before: recorded, after: now });
      for (const rule of changingRules(record, to)) known.rules.add(rule);
    },
    summary(): ReplayUpgrade {
      const all = [...objects].map(
        ([object, { decisions, changed, examples, rules, fields }]): UpgradedObject => ({
          object,
          decisions,
          changed,
          examples,
          why: [...rules].map((rule) => ruleWords[rule]),
          otherFields: [...fields].map(([field, count]) => ({ field, decisions: count })),
        }),
      );
      const different = all.filter(({ changed, otherFields }) => changed + otherFields.length > 0);
      return {
        from: [...from].toSorted(),
        to,
        decisions: all.reduce((sum, { decisions }) => sum + decisions, 0),
        changed: all.reduce((sum, { changed }) => sum + changed, 0),
        objects: all.length,
        changes: different.toSorted((a, b) => b.changed - a.changed).slice(0, maxListed),
      };
    },
  };
}

const fields: readonly (readonly [path: RegExp, name: string])[] = [
  [/^events/, "events"],
  [/^status\.conditions/, "status.conditions"],
  [/^status\.currentMetrics/, "status.currentMetrics"],
  [/^status\.observedGeneration/, "status.observedGeneration"],
];

/** What a user sees of the decision beside the replicas. */
function fieldOf({ step, field }: StepDifference): readonly string[] {
  if (step !== "decision") return [];
  return fields.filter(([path]) => path.test(field)).map(([, name]) => name);
}

/** The report for a person. */
export function upgradeText({ from, to, decisions, changed, objects, changes }: ReplayUpgrade): string {
  const moved = changes.filter((object) => object.changed > 0);
  const others = changes.filter((object) => object.changed === 0);
  const lines = [
    `Kubernetes ${from.join(", ")} -> ${to}: replicas change in ${changed} of ${counted(decisions, "decision")}, ` +
      `for ${moved.length} of ${counted(objects, "autoscaler")}`,
    ...moved.slice(0, maxShown).flatMap((object) => objectLines(object, to)),
    ...(moved.length > maxShown ? [`and ${counted(moved.length - maxShown, "more autoscaler")}`] : []),
    ...(others.length > 0
      ? ["", `Only other fields change for ${counted(others.length, "autoscaler")}: ${namesOf(others)}`]
      : []),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function objectLines(
  { object, decisions, changed, examples, why }: UpgradedObject,
  to: string,
): readonly string[] {
  return [
    "",
    `${object}: replicas change in ${changed} of ${counted(decisions, "decision")}`,
    ...examples.map(
      ({ at, current, ...one }) =>
        `  ${at}  ${current} -> ${one.before} with ${one.from}, ${current} -> ${one.after} with ${to}`,
    ),
    ...why.map((sentence) => `  ${sentence}`),
  ];
}

function namesOf(objects: readonly UpgradedObject[]): string {
  const names = objects.flatMap(({ otherFields }) => otherFields.map(({ field }) => field));
  return [...new Set(names)].toSorted().join(", ");
}

/** The rules of releases that change replicas, as sentences. */
const ruleWords: Readonly<Record<ScalingRule, string>> = {
  toleranceTest: "From 1.33 on, a ratio at the edge of the tolerance counts as within it.",
  hasPerHpaTolerance: "From 1.33 on, the controller reads the tolerance in spec.behavior.",
  hasPodLevelRequests: "From 1.34 on, requests in spec.resources of a pod replace those of its containers.",
  countsPodOverhead: "From 1.38 on, the overhead of a pod no longer counts as a request.",
  ignoresSucceededPods:
    "From 1.38 on, pods in phase Succeeded are ignored. Before, they counted like other pods.",
  absentContainer:
    "From 1.33 on, a pod without the container of a ContainerResource metric counts as missing. Before, the metric failed.",
  saturates:
    "Replica counts stop at 2147483647 where they overflowed before: some from 1.34 on, all from 1.38 on.",
  sumsExactly: "From 1.38 on, sums over pods are exact. Before, very large sums overflowed.",
  saturatesQuantities:
    "From 1.38 on, a quantity too large for 64 bits counts as the largest number. Before, it could count as 0.",
  capsExternalSum:
    "From 1.35 on, the sum of an External metric stops at the largest number. Before, it overflowed.",
  readsNegativeSumAsOverflow:
    "From 1.34 on, a negative sum of an External metric counts as the largest number.",
  fromZero:
    "From 1.36 on, a target at zero is scaled up if the condition ScaledToZero is True. Before, minReplicas: 0 was enough.",
};
