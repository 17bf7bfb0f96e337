// What becomes of each object that Plimsoll reads.
import { instantMs } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { ServedObject } from "@plimsoll/observe";
import type { Difference } from "./contents.ts";
import { type HpaAbilities, hpaOf } from "./hpa-of.ts";
import { groupOf, type Installed, namespaceOf } from "./installed.ts";
import { typedWla } from "./lost-fields.ts";

/** Of a WorkloadAutoscaler. */
export type Outcome = { readonly wla: ServedObject; readonly differences: readonly Difference[] } & (
  | {
      readonly kind: "hpa";
      readonly hpa: Fields;
      readonly name: string /** False: paused. */;
      readonly isNow: boolean;
    }
  /** An HPA that is there scales its target. */
  | { readonly kind: "there"; readonly name: string }
  /** It moves the bounds of an HPA. */
  | { readonly kind: "bounds"; readonly name: string }
  | { readonly kind: "nothing" }
);

/** In the order of the list. */
export function outcomesOf(installed: Installed, abilities: HpaAbilities, nowMs: number): readonly Outcome[] {
  const taken = new Set(installed.hpas.map((hpa) => `${namespaceOf(hpa)}/${hpa.metadata.name}`));
  return installed.wlas.map((wla) => {
    const outcome = outcomeOf(wla, { installed, abilities, nowMs, taken });
    if (outcome.kind === "hpa") taken.add(`${namespaceOf(wla)}/${outcome.name}`);
    return outcome;
  });
}

interface Context {
  readonly installed: Installed;
  readonly abilities: HpaAbilities;
  readonly nowMs: number;
  readonly taken: ReadonlySet<string>;
}

function outcomeOf(wla: ServedObject, { installed, abilities, nowMs, taken }: Context): Outcome {
  const differs = (path: string, instead: string): Difference => ({
    object: typedWla(wla),
    namespace: namespaceOf(wla),
    path,
    instead,
  });
  const { mode = "Active", schedules, metrics, pause } = fieldsOf(wla.spec);
  const { kind, name } = wla.spec.scaleTargetRef;
  if (kind === "HorizontalPodAutoscaler") {
    const differences = [
      differs("spec.schedules", `hpa/${name} keeps its own minReplicas and maxReplicas at all times`),
    ];
    return { kind: "bounds", wla, name, differences };
  }
  const there = installed.hpas.find((hpa) => isSameTarget(hpa, wla));
  if (there !== undefined) return { kind: "there", wla, name: there.metadata.name, differences: [] };
  if (mode === "Shadow") {
    const instead = "no HPA is made: the object never scaled its target";
    return { kind: "nothing", wla, differences: [differs("spec.mode", instead)] };
  }
  if (isEmpty(metrics) && !isEmpty(schedules)) {
    const instead =
      "no HPA is made, because one without metrics would follow cpu: the target keeps its replicas until they are set by hand, or by a CronJob";
    return { kind: "nothing", wla, differences: [differs("spec.schedules", instead)] };
  }
  const free = freeName(wla, taken);
  const { hpa, differences } = hpaOf(wla, free, abilities);
  const isNow = !isPaused(mode, pause, nowMs);
  const instead = "an HPA can't be paused: the last step has its manifest, to apply when the pause ends";
  return {
    kind: "hpa",
    wla,
    hpa,
    name: free,
    isNow,
    differences: isNow ? differences : [differs("spec.mode", instead), ...differences],
  };
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}

function isPaused(mode: unknown, pause: unknown, nowMs: number): boolean {
  if (mode !== "Paused") return false;
  const { until } = fieldsOf(pause);
  const endMs = typeof until === "string" ? instantMs(until) : undefined;
  return endMs === undefined || endMs > nowMs;
}

function isSameTarget(a: ServedObject, b: ServedObject): boolean {
  const [one, other] = [a.spec.scaleTargetRef, b.spec.scaleTargetRef];
  return (
    namespaceOf(a) === namespaceOf(b) &&
    one.kind === other.kind &&
    one.name === other.name &&
    groupOf(one) === groupOf(other)
  );
}

function freeName(wla: ServedObject, taken: ReadonlySet<string>): string {
  const names = [wla.metadata.name, ...Array.from({ length: 99 }, (_, n) => `${wla.metadata.name}-${n + 2}`)];
  return names.find((name) => !taken.has(`${namespaceOf(wla)}/${name}`)) ?? wla.metadata.name;
}
