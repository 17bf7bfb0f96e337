// Compares the settings of two decisions: what of the specification, the options and the mode changed between them.

import { readMode, readOptions } from "../../decide/subject.ts";
import { cleanSpec } from "../../objects/api/clean.ts";
import { defaultSpec } from "../../objects/api/default.ts";
import type { Decision } from "../../objects/decision.ts";
import { metricsOf, stepOf } from "../summary/step-of.ts";
import { diffValues, type FieldDifference } from "./diff.ts";
import type { DecisionRecord } from "./record.ts";
import { inputOf } from "./replay.ts";

/**
 * What changed in the settings from one record to another, defaults filled in: `spec`, `options` of the controller, `mode`
 * and `failurePolicies`. Bounds are those of the specification, before schedules.
 */
export function diffSettings(
  a: Pick<DecisionRecord, "input" | "semantics">,
  b: Pick<DecisionRecord, "input" | "semantics">,
): readonly FieldDifference[] {
  return diffValues(settingsOf(a), settingsOf(b), "");
}

function settingsOf(record: Pick<DecisionRecord, "input" | "semantics">): object {
  const { hpa, options, mode, failurePolicies, schedules } = inputOf(record);
  return {
    spec: { ...defaultSpec(cleanSpec(hpa?.spec)), ...schedules?.own },
    options: readOptions(options),
    mode: readMode(mode),
    failurePolicies: failurePolicies ?? [],
  };
}

/**
 * The same as far as the traces of two decisions show it, for decisions that are kept without their input. A setting
 * that one of the two did not come to is not compared.
 */
export function diffTracedSettings(
  a: Pick<Decision, "trace">,
  b: Pick<Decision, "trace">,
): readonly FieldDifference[] {
  const [ofA, ofB] = [tracedSettings(a), tracedSettings(b)];
  const shared = [...ofA.keys()].filter((path) => ofB.has(path));
  return [
    ...shared.flatMap((path) => diffValues(ofA.get(path), ofB.get(path), path)),
    ...metricsOnce(a, b).map((path): FieldDifference => ({ path, a: ofA.get(path), b: ofB.get(path) })),
  ];
}

/** Metrics that only one of two decisions has, where both came to metrics. */
function metricsOnce(a: Pick<Decision, "trace">, b: Pick<Decision, "trace">): readonly string[] {
  const [ofA, ofB] = [metricsOf(a.trace).length, metricsOf(b.trace).length];
  if (ofA === 0 || ofB === 0) return [];
  const fewer = Math.min(ofA, ofB);
  return Array.from({ length: Math.max(ofA, ofB) - fewer }, (_, i) => `spec.metrics[${fewer + i}]`);
}

function tracedSettings({ trace }: Pick<Decision, "trace">): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const bounds = stepOf(trace, "schedules")?.own ?? stepOf(trace, "bounds") ?? stepOf(trace, "limit");
  if (bounds !== undefined) {
    found.set("spec.minReplicas", bounds.minReplicas);
    found.set("spec.maxReplicas", bounds.maxReplicas);
  }
  for (const { index, type, name, target, tolerance } of metricsOf(trace)) {
    found.set(`spec.metrics[${index}]`, { type, name, target });
    if (tolerance !== undefined) found.set("tolerance", tolerance);
  }
  const stabilize = stepOf(trace, "stabilize");
  if (stabilize !== undefined) {
    const { mode, upWindowSeconds, downWindowSeconds } = stabilize;
    found.set("spec.behavior", mode === "behavior" ? "present" : "absent");
    found.set("spec.behavior.scaleUp.stabilizationWindowSeconds", upWindowSeconds ?? 0);
    found.set("spec.behavior.scaleDown.stabilizationWindowSeconds", downWindowSeconds);
  }
  const rate = stepOf(trace, "rate");
  if (rate !== undefined) {
    const side = `spec.behavior.${rate.direction === "up" ? "scaleUp" : "scaleDown"}`;
    found.set(`${side}.selectPolicy`, rate.selectPolicy);
    // A disabled direction lists no policies.
    if (rate.selectPolicy !== "Disabled") found.set(`${side}.policies`, rate.policies.map(policyOf));
  }
  return found;
}

function policyOf({
  type,
  value,
  periodSeconds,
}: {
  type: string;
  value: number;
  periodSeconds: number;
}): object {
  return { type, value, periodSeconds };
}
