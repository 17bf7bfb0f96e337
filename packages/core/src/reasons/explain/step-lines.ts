// The steps of a decision, one short line each.
import type { Decision } from "../../objects/decision.ts";
import type {
  LimitTrace,
  PolicyTrace,
  RateTrace,
  StabilizeTrace,
  TraceStep,
} from "../../objects/trace/step.ts";
import { stepOf } from "../summary/step-of.ts";
import { clockText } from "./clock.ts";
import { failurePolicyEffect } from "./failure-policy.ts";
import { metricName } from "./metric-rows.ts";
import { limitWords } from "./phrases.ts";
import { metricArithmetic } from "./short-metric.ts";

/** One step in a line; `name` is for a column of its own. */
export interface StepLine {
  readonly name: string;
  readonly text: string;
}

/** How `stepLines` words the steps. */
export interface StepLinesOptions {
  /** Every step of the trace, and every metric and policy; else those that a reader needs first. */
  readonly every?: boolean | undefined;
  /** When it was decided: times on another day have their date. */
  readonly atMs?: number | undefined;
}

/** The steps of a decision in short lines, in their order; times are UTC. `explain` has every number of them. */
export function stepLines(
  decision: Pick<Decision, "trace">,
  { every = false, atMs }: StepLinesOptions = {},
): readonly StepLine[] {
  const { trace } = decision;
  const winner = stepOf(trace, "combine")?.winner;
  const clock = (ms: number) => clockText(ms, atMs);
  return trace.flatMap((step): readonly StepLine[] => {
    if (every) return everyLine(step, clock);
    if (step.kind === "metric")
      return step.index === winner ? [{ name: "metrics", text: metricArithmetic(step) }] : [];
    return briefKinds.has(step.kind) ? lineOf(step, clock) : [];
  });
}

type Clock = (ms: number) => string;

/** What is left out says nothing new where all went well. */
const briefKinds: ReadonlySet<TraceStep["kind"]> = new Set<TraceStep["kind"]>([
  "scale",
  "schedules",
  "disabled",
  "bounds",
  "selector",
  "failure-policy",
  "stabilize",
  "limit",
  "cooldown",
]);

function everyLine(step: TraceStep, clock: Clock): readonly StepLine[] {
  if (step.kind === "metric") {
    const { index, query } = step;
    return [
      { name: `metric ${index + 1}`, text: `${metricName(step)}: ${metricArithmetic(step)}` },
      ...(query === undefined ? [] : [{ name: `query ${index + 1}`, text: query }]),
    ];
  }
  return lineOf(step, clock);
}

type Liners = {
  readonly [K in TraceStep["kind"]]: (
    step: Extract<TraceStep, { kind: K }>,
    clock: Clock,
  ) => readonly (readonly [name: string, text: string])[];
};

const liners: Liners = {
  scale: ({ error, specReplicas, statusReplicas, selector }) => [
    [
      "scale",
      error ??
        `${specReplicas ?? "?"} in spec, ${statusReplicas ?? "?"} in status; selector ${selector ?? "?"}`,
    ],
  ],
  "unconfirmed-scale": ({ replicas, isMade }) => [
    ["history", `the earlier scale to ${replicas} ${isMade ? "succeeded" : "failed"}`],
  ],
  "unknown-history": ({ untilMs, lastScaleAtMs }, clock) => [
    [
      "history",
      `unknown; until ${clock(untilMs)}, policies are treated as used up at ${clock(lastScaleAtMs)}`,
    ],
  ],
  seed: ({ replicas }) => [["history", `first evaluation; recommendations start at ${replicas}`]],
  schedules: ({ own, minReplicas, maxReplicas, active, nextMs }, clock) => [
    [
      "schedules",
      `[${own.minReplicas}, ${own.maxReplicas}] -> [${minReplicas}, ${maxReplicas}] by ${
        active.map(({ name }) => name).join(", ") || "none"
      }${nextMs === undefined ? "" : `; no change before ${clock(nextMs)}`}`,
    ],
  ],
  disabled: ({ isBySchedule }) => [
    [
      "disabled",
      isBySchedule === true
        ? "schedules keep the target at 0 replicas"
        : "the target has 0 replicas: scaling is off",
    ],
  ],
  bounds: ({ currentReplicas, minReplicas, maxReplicas, result }) => [
    ["limits", `${currentReplicas} -> ${result}  outside [${minReplicas}, ${maxReplicas}]; metrics not read`],
  ],
  selector: ({ reason, message }) => [["selector", `${reason}: ${message}`]],
  "failure-policy": (step) => [
    ["policy", `metric ${step.index + 1} ${step.policy}: ${failurePolicyEffect(step)}`],
  ],
  metric: () => [],
  combine: ({ outcome, result, winner, proposals }) => [
    [
      "combine",
      result === undefined
        ? (combineFailures[outcome] ?? outcome)
        : `metric ${(winner ?? 0) + 1} calls for ${result}${proposals.length > 1 ? `, the highest of ${proposals.length}` : ""}`,
    ],
  ],
  stabilize: (step, clock) => [["stabilize", stabilizeText(step, clock)]],
  rate: (step) => [
    ["rate", rateText(step)],
    ...step.policies.map((policy) => ["policy", policyText(policy, step.direction)] as const),
  ],
  limit: (step) => [["limits", limitText(step)]],
  cooldown: ({ reason, lastScaleAtMs, windowMs }, clock) => [
    ["cooldown", `no change within ${windowMs / 1000}s of ${clock(lastScaleAtMs)} (${reason})`],
  ],
  mode: ({ mode, scaleTo }) => [["mode", `${mode}: not scaling to ${scaleTo}`]],
  result: ({ action, currentReplicas, desiredReplicas, error }) => [
    ["result", error ?? `${action}, ${currentReplicas} -> ${desiredReplicas}`],
  ],
};

const combineFailures: Readonly<Record<string, string>> = {
  failed: "no metric could be read",
  blocked: "the others call for scaling down, but a failed metric blocks it",
};

/** A step of another version of this package has no line. */
function lineOf(step: TraceStep, clock: Clock): readonly StepLine[] {
  const liner = liners[step.kind] as
    | ((step: TraceStep, clock: Clock) => readonly (readonly [string, string])[])
    | undefined;
  return (liner?.(step, clock) ?? []).map(([name, text]) => ({ name, text }));
}

function stabilizeText(step: StabilizeTrace, clock: Clock): string {
  const { desired, result, heldBy, downWindowSeconds, upWindowSeconds } = step;
  const up = upWindowSeconds === undefined ? "" : `${upWindowSeconds}s up, `;
  const windows = `window ${up}${downWindowSeconds}s down`;
  if (desired === result) return `${result}  no change; ${windows}`;
  const held = heldBy === undefined ? "held" : `held by ${heldBy.replicas} from ${clock(heldBy.atMs)}`;
  return `${desired} -> ${result}  ${held}; ${windows}`;
}

function rateText({ direction, selectPolicy, limit }: RateTrace): string {
  return selectPolicy === "Disabled"
    ? `${direction} is disabled`
    : `${direction} to ${limit} (${selectPolicy})`;
}

function policyText(policy: PolicyTrace, direction: "up" | "down"): string {
  const { type, value, periodSeconds, start, limit } = policy;
  const change = `${direction === "up" ? "+" : "-"} ${value}${type === "Percent" ? "%" : ""}`;
  return `${type} per ${periodSeconds}s: ${start} at its start ${change} = ${limit}`;
}

function limitText({ from, result, minReplicas, maxReplicas, reason }: LimitTrace): string {
  const range = `[${minReplicas}, ${maxReplicas}]`;
  return from === result
    ? `${result} within ${range}`
    : `${from} -> ${result}  ${limitWords[reason] ?? reason}; ${range}`;
}
