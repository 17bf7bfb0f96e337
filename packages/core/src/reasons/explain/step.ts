// Explains one step of a trace, by its kind.

import type { CombineTrace, RateTrace, StabilizeTrace, TraceStep } from "../../objects/trace/step.ts";
import { counted } from "../../values/text.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import { failurePolicyEffect } from "./failure-policy.ts";
import { withoutGo } from "./go-text.ts";
import { type Line, line } from "./line.ts";
import { explainMetric } from "./metric.ts";
import { limitWords } from "./phrases.ts";
import { explainSchedules } from "./schedules.ts";

type Explainers = {
  readonly [K in TraceStep["kind"]]: (step: Extract<TraceStep, { kind: K }>) => readonly Line[];
};

const explainers: Explainers = {
  scale: ({ error, specReplicas = 0, statusReplicas = 0, selector = "" }) =>
    one(
      error === undefined
        ? `Scale: ${counted(specReplicas, "replica")} in spec, ${statusReplicas} in status; selector ${JSON.stringify(selector)}`
        : `Cannot read the target's scale: ${error}`,
    ),
  "unconfirmed-scale": ({ replicas, isMade }) =>
    one(
      `The scale to ${replicas} got no response; it ${isMade ? "succeeded" : "failed, so policies don't count it"}`,
    ),
  "unknown-history": ({ untilMs, lastScaleAtMs }) =>
    one(
      `Changes by an earlier process are unknown: until ${formatInstant(untilMs)}, policies are treated as used up at ${formatInstant(lastScaleAtMs)}`,
    ),
  seed: ({ replicas }) => one(`First evaluation of this HPA: recommendations start at ${replicas}`),
  schedules: explainSchedules,
  disabled: ({ isBySchedule }) =>
    one(
      isBySchedule === true
        ? "Schedules keep the target at 0 replicas"
        : "The target has 0 replicas and this HPA did not scale it to zero: scaling is off until you scale it up",
    ),
  bounds: ({ currentReplicas, minReplicas, maxReplicas, result }) =>
    one(
      `${currentReplicas} is outside [${minReplicas}, ${maxReplicas}]: scaling to ${result} without reading metrics`,
    ),
  selector: ({ reason, message }) => one(`The selector can't be used (${reason}): ${message}`),
  "failure-policy": (step) =>
    one(`Metric ${step.index + 1} has policy ${step.policy}: ${failurePolicyEffect(step)}`),
  metric: explainMetric,
  combine: explainCombination,
  stabilize: explainStabilization,
  rate: explainRate,
  limit: ({ minReplicas, maxReplicas, from, result, reason }) =>
    one(`Limits [${minReplicas}, ${maxReplicas}]: ${from} → ${result}, ${limitWords[reason] ?? reason}`),
  cooldown: ({ lastScaleAtMs, windowMs, reason }) =>
    one(
      `The last scale was at ${formatInstant(lastScaleAtMs)}, less than ${windowMs / 1000} s ago: no change (${reason})`,
    ),
  mode: ({ mode, scaleTo }) => one(`Mode ${mode}: not scaling to ${scaleTo}`),
  result: ({ error }) => (error === undefined ? [] : one(`Error: ${error}`)),
};

/** One step of the trace in plain words; a step of another version of this package has none. */
export function explainStep(step: TraceStep): readonly Line[] {
  const explainer = explainers[step.kind] as ((step: TraceStep) => readonly Line[]) | undefined;
  return explainer?.(step) ?? [];
}

function one(text: string): readonly Line[] {
  return [line(1, text)];
}

function explainCombination(step: CombineTrace): readonly Line[] {
  const winner = step.proposals.find(({ index }) => index === step.winner);
  switch (step.outcome) {
    case "failed":
      return one("No metric could be read, so nothing changes");
    case "blocked":
      return one(
        `Working metrics call for ${winner?.replicas ?? 0}, but one failed; scaling down needs all of them, so nothing changes`,
      );
    case "accepted":
    case "accepted-despite-errors": {
      const proposed = step.proposals.filter(({ replicas, error }) => (replicas ?? error) !== undefined);
      const others = proposed.length > 1 ? `the highest of ${proposed.length} metrics, ` : "";
      const failed = step.outcome === "accepted" ? "" : "; failed metrics don't block this direction";
      return [
        line(1, `Desired: ${step.result ?? 0}, ${others}by ${withoutGo(winner?.name ?? "none")}${failed}`),
      ];
    }
  }
  return [];
}

function explainStabilization(step: StabilizeTrace): readonly Line[] {
  const down = `${step.downWindowSeconds} s down`;
  const windows = step.upWindowSeconds === undefined ? down : `${step.upWindowSeconds} s up, ${down}`;
  const head = `Stabilization (${windows}): ${step.desired} → ${step.result}`;
  if (step.result === step.desired) return one(`${head}, no change`);
  const { heldBy } = step;
  if (heldBy === undefined) return one(head);
  return one(`${head}, held by the recommendation of ${heldBy.replicas} from ${formatInstant(heldBy.atMs)}`);
}

function explainRate(step: RateTrace): readonly Line[] {
  if (step.selectPolicy === "Disabled")
    return [line(1, `Scaling ${step.direction} is disabled: limit ${step.limit}`)];
  const head = `Scale-${step.direction} rate (${step.selectPolicy} of ${counted(step.policies.length, "policy").replace("policys", "policies")}): limit ${step.limit}`;
  const sign = step.direction === "up" ? "+" : "−";
  return [
    line(1, head),
    ...step.policies.map((policy) => {
      const change = policy.type === "Percent" ? `${sign} ${policy.value} %` : `${sign} ${policy.value}`;
      const unknown = policy.unknown === undefined ? "" : unknownText(policy.unknown);
      const start = `${step.currentReplicas} now − ${policy.added} added + ${policy.removed} removed${unknown} = ${policy.start}`;
      return line(
        2,
        `${policy.type} per ${policy.periodSeconds} s: ${start} at its start, ${change} → ${policy.limit}`,
      );
    }),
  ];
}

function unknownText(change: number): string {
  return change < 0
    ? ` + ${-change} possibly removed by an earlier process`
    : ` − ${change} possibly added by an earlier process`;
}
