import { formatInstant } from "../time/rfc3339.ts";
import type { CombineTrace, RateTrace, StabilizeTrace, TraceStep } from "../trace/step.ts";
import { type Line, line } from "./line.ts";
import { explainMetric } from "./metric.ts";
import { explainSchedules } from "./schedules.ts";
import { limitWords, plural } from "./words.ts";

/** One step of the trace in plain words. */
export function explainStep(step: TraceStep): readonly Line[] {
  switch (step.kind) {
    case "scale":
      if (step.error !== undefined) return [line(1, `The scale of the target cannot be read: ${step.error}`)];
      return [
        line(
          1,
          `The scale asks for ${plural(step.specReplicas ?? 0, "replica")} and reports ${step.statusReplicas ?? 0}; its selector is ${JSON.stringify(step.selector ?? "")}`,
        ),
      ];
    case "seed":
      return [line(1, `First sight of this HPA: the log of recommendations starts at ${step.replicas}`)];
    case "schedules":
      return explainSchedules(step);
    case "disabled":
      return [
        line(
          1,
          step.isBySchedule === true
            ? "Schedules keep the target without replicas"
            : "The target has no replicas and this HPA did not put it there: scaling is off until somebody starts it",
        ),
      ];
    case "bounds":
      return [
        line(
          1,
          `${step.currentReplicas} lies outside [${step.minReplicas}, ${step.maxReplicas}]: straight to ${step.result}, metrics are not asked`,
        ),
      ];
    case "selector":
      return [line(1, `The selector cannot be used (${step.reason}): ${step.message}`)];
    case "metric":
      return explainMetric(step);
    case "combine":
      return explainCombination(step);
    case "stabilize":
      return explainStabilization(step);
    case "rate":
      return explainRate(step);
    case "limit":
      return [
        line(
          1,
          `Limits [${step.minReplicas}, ${step.maxReplicas}]: ${step.from} → ${step.result}, ${limitWords[step.reason] ?? step.reason}`,
        ),
      ];
    case "cooldown":
      return [
        line(
          1,
          `The last scale was at ${formatInstant(step.lastScaleAtMs)}, less than ${step.windowMs / 1000} s ago: no change (${step.reason})`,
        ),
      ];
    case "result":
      return step.error === undefined ? [] : [line(1, `Error: ${step.error}`)];
  }
  return [];
}

function explainCombination(step: CombineTrace): readonly Line[] {
  const winner = step.proposals.find(({ index }) => index === step.winner);
  switch (step.verdict) {
    case "failed":
      return [line(1, "No metric gives a count, so nothing changes")];
    case "blocked":
      return [
        line(
          1,
          `The metrics that work ask for ${winner?.replicas ?? 0}, but one failed: a scale-down needs them all, so nothing changes`,
        ),
      ];
    case "accepted":
    case "accepted-despite-errors": {
      const others = step.proposals.length > 1 ? `the highest of ${step.proposals.length} metrics, ` : "";
      const failed =
        step.verdict === "accepted" ? "" : "; failed metrics do not stand in the way of this direction";
      return [line(1, `Desired: ${step.result ?? 0}, ${others}by ${winner?.name ?? "none"}${failed}`)];
    }
  }
  return [];
}

function explainStabilization(step: StabilizeTrace): readonly Line[] {
  const down = `${step.downWindowSeconds} s down`;
  const windows = step.upWindowSeconds === undefined ? down : `${step.upWindowSeconds} s up, ${down}`;
  const head = `Stabilization (${windows}): ${step.desired} → ${step.result}`;
  if (step.result === step.desired) return [line(1, `${head}, nothing in the window holds it`)];
  const held = step.heldBy;
  const by =
    held === undefined
      ? ""
      : `, held by the recommendation of ${held.replicas} from ${formatInstant(held.atMs)}`;
  return [line(1, `${head}${by}`)];
}

function explainRate(step: RateTrace): readonly Line[] {
  if (step.selectPolicy === "Disabled")
    return [line(1, `Scaling ${step.direction} is disabled: limit ${step.limit}`)];
  const head = `Rate of scaling ${step.direction} (${step.selectPolicy} of ${plural(step.policies.length, "policy").replace("policys", "policies")}): limit ${step.limit}`;
  const sign = step.direction === "up" ? "+" : "−";
  return [
    line(1, head),
    ...step.policies.map((policy) => {
      const change = policy.type === "Percent" ? `${sign} ${policy.value} %` : `${sign} ${policy.value}`;
      const start = `${step.currentReplicas} now − ${policy.added} added + ${policy.removed} removed = ${policy.start}`;
      return line(
        2,
        `${policy.type} in ${policy.periodSeconds} s: ${start} at its start, ${change} → ${policy.limit}`,
      );
    }),
  ];
}
