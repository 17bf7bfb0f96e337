// Rules about how the replicas move: back and forth, not at all, held, or in a rollout.
import { ageText, counted, type Fields, showRatio } from "@plimsoll/core/internal/values";
import { type Autoscaler, keyOf, ownCondition } from "../evidence/autoscaler.ts";
import { type Rescale, rescalesOf } from "../evidence/events.ts";
import { at, numberOf } from "../evidence/fields.ts";
import { writersOf } from "../evidence/meta.ts";
import { metricSteps, type PastDecision, proposedBy } from "../evidence/past-decision.ts";
import { isLiving, isReady } from "../evidence/pods.ts";
import { valueOf } from "../evidence/reading.ts";
import { type Found, item, type ObjectContext, type Outcome, objectRule, type Rule } from "../rule.ts";
import { printShare } from "../text/amount.ts";
import { printClock, printSeconds } from "../text/time.ts";
import { thresholds } from "../thresholds.ts";

function backAndForth({ object, readings, nowMs }: ObjectContext): readonly Outcome[] {
  const { history, events } = readings;
  if (!history.ok && !events.ok) return [{ skipped: events.reason }];
  const fromHistory = history.ok ? rescalesIn(history.value) : [];
  const fromEvents = events.ok ? rescalesOf(events.value, object) : [];
  const moves = [fromHistory, fromEvents].map((found) => turnsOf(found, nowMs));
  const turns = moves.toSorted((a, b) => b.length - a.length)[0] ?? [];
  if (turns.length < thresholds.directionChanges) return [];
  const times = turns.map(({ atMs, replicas }) => `${replicas} at ${printClock(atMs)}`).join(", ");
  return [
    {
      title: `the replicas changed direction ${turns.length} times in ${ageText(thresholds.directionWindowMs)}`,
      evidence: [item("turns", times, history.ok ? "decisions and events" : `events of ${keyOf(object)}`)],
    },
  ];
}

function rescalesIn(history: readonly PastDecision[]): readonly Rescale[] {
  return history
    .filter(({ current, desired }) => current !== desired)
    .map(({ atMs, current, desired }) => ({
      atMs,
      replicas: desired,
      direction: desired > current ? ("up" as const) : ("down" as const),
    }));
}

/** Changes in the other direction than the one before, within the window. */
function turnsOf(rescales: readonly Rescale[], nowMs: number): readonly Rescale[] {
  const recent = rescales.filter(({ atMs }) => nowMs - atMs <= thresholds.directionWindowMs);
  const turns: Rescale[] = [];
  let direction: "up" | "down" | undefined;
  let replicas: number | undefined;
  for (const rescale of recent) {
    const bySize = replicas === undefined ? undefined : rescale.replicas > replicas ? "up" : "down";
    const next: "up" | "down" | undefined =
      rescale.direction ?? (rescale.replicas === replicas ? direction : bySize);
    if (direction !== undefined && next !== undefined && next !== direction) turns.push(rescale);
    direction = next ?? direction;
    replicas = rescale.replicas;
  }
  return turns;
}

function disabledDirection({ object, nowMs }: ObjectContext): readonly Outcome[] {
  return (["scaleUp", "scaleDown"] as const).flatMap((direction): readonly Outcome[] => {
    if (at(object.raw, "spec", "behavior", direction, "selectPolicy") !== "Disabled") return [];
    const writers = writersOf(object.raw, ["spec", "behavior", direction, "selectPolicy"]);
    // A later edit of something else by the same manager only makes it look younger.
    const times = writers.flatMap(({ atMs }) => atMs ?? []);
    const sinceMs = times.length > 0 ? Math.min(...times) : object.createdAtMs;
    if (sinceMs === undefined) return [{ skipped: "the time of the change is unknown" }];
    if (nowMs - sinceMs < thresholds.disabledMs) return [];
    const where = `${object.kind} ${keyOf(object)} .spec.behavior.${direction}.selectPolicy`;
    return [
      {
        title: `${direction === "scaleUp" ? "scaling up" : "scaling down"} is disabled for ${ageText(nowMs - sinceMs)}`,
        evidence: [item("selectPolicy", `is Disabled for ${ageText(nowMs - sinceMs)}`, where)],
      },
    ];
  });
}

function hiddenByTolerance({ object, facts }: ObjectContext<"history">): readonly Outcome[] {
  const { history } = facts;
  const spanMs = (history.at(-1)?.atMs ?? 0) - (history[0]?.atMs ?? 0);
  if (spanMs < thresholds.toleranceMs)
    return [{ skipped: `decisions of less than ${ageText(thresholds.toleranceMs)} are kept` }];
  const recent = history.filter(({ atMs }) => atMs >= (history.at(-1)?.atMs ?? 0) - thresholds.toleranceMs);
  return object.metrics.flatMap((metric): readonly Found[] => {
    const ratios = recent.map(({ metrics }) => {
      const found = metrics.find(({ index }) => index === metric.index);
      return found?.withinTolerance === true ? (found.ratio ?? 1) : 1;
    });
    const isHidden =
      ratios.every((ratio) => ratio > 1 + thresholds.toleranceDeviation) ||
      ratios.every((ratio) => ratio < 1 - thresholds.toleranceDeviation);
    const last = ratios.at(-1) ?? 1;
    if (!isHidden) return [];
    return [
      {
        evidence: [
          item(
            metric.name,
            `is at ${showRatio(last)} of its target, within the tolerance for ${ageText(thresholds.toleranceMs)}`,
            "decisions",
          ),
        ],
      },
    ];
  });
}

function heldByWindow({ object, readings }: ObjectContext): readonly Found[] {
  const able = ownCondition(object, "AbleToScale");
  const isHeld = able?.reason === "ScaleDownStabilized" || able?.reason === "ScaleUpStabilized";
  if (able === undefined || !isHeld) return [];
  const decision = valueOf(readings.decision);
  const step = decision?.trace.find((one) => one.kind === "stabilize");
  const held = step?.kind === "stabilize" ? step.heldBy : undefined;
  const isUp = able.reason === "ScaleUpStabilized";
  const windowSeconds =
    step?.kind === "stabilize" ? (isUp ? step.upWindowSeconds : step.downWindowSeconds) : undefined;
  const evidence = [item(able.reason, able.message, `${object.kind} ${keyOf(object)} .status.conditions`)];
  if (held === undefined || windowSeconds === undefined) return [{ evidence }];
  const until = printSeconds(held.atMs + windowSeconds * 1000);
  return [
    {
      title: `the replicas are held until at least ${until}`,
      evidence: [
        ...evidence,
        item(
          "held",
          `by a recommendation of ${held.replicas} from ${printSeconds(held.atMs)}, window ${windowSeconds}s`,
          "the newest decision",
        ),
      ],
    },
  ];
}

function inflatedByRollout({
  object,
  facts,
}: ObjectContext<"target" | "pods" | "decision">): readonly Found[] {
  const { target, decision } = facts;
  if (!target.found || !isRollingOut(target.object, object.target)) return [];
  const replicas = decision.currentReplicas;
  const living = facts.pods.filter(isLiving);
  const unready = living.filter((pod) => !isReady(pod)).length;
  const extra = Math.max(unready, living.length - replicas);
  const proposed = proposedBy(decision) ?? 0;
  if (replicas === 0 || proposed <= replicas || extra <= replicas * thresholds.rolloutPods) return [];
  const steps = metricSteps(decision).filter((step) => (step.replicas ?? 0) > replicas);
  const surge = `are unready or surge, ${printShare(extra / replicas)} of ${replicas} replicas`;
  return [
    {
      title: `a rollout inflates the wanted replicas to ${proposed}`,
      evidence: [
        item(counted(extra, "pod"), surge, "pods"),
        ...steps.map(({ name, replicas: count = 0 }) =>
          item(name, `calls for ${count}`, "the newest decision"),
        ),
      ],
    },
  ];
}

/** They leave a count of 0 out; other kinds may not have it at all. */
const countUpdated = new Set(["Deployment", "StatefulSet", "Rollout"]);

function isRollingOut(workload: Fields, { kind }: Autoscaler["target"]): boolean {
  const updated =
    numberOf(at(workload, "status", "updatedReplicas")) ?? (countUpdated.has(kind) ? 0 : undefined);
  const replicas = numberOf(at(workload, "status", "replicas")) ?? 0;
  return updated !== undefined && updated < replicas;
}

function hasDisabled({ raw }: Autoscaler): boolean {
  return (["scaleUp", "scaleDown"] as const).some(
    (direction) => at(raw, "spec", "behavior", direction, "selectPolicy") === "Disabled",
  );
}

export const movementRules: readonly Rule[] = [
  objectRule({
    id: "PL-037",
    severity: "warn",
    title: "the replicas go up and down",
    condition: "The replicas changed direction at least four times within 30 minutes.",
    fix: "use a longer stabilization window; if PL-029 finds something, fix that first",
    isFromRecords: true,
    needs: [],
    uses: ["history", "events"],
    check: backAndForth,
  }),
  objectRule({
    id: "PL-038",
    severity: "warn",
    title: "scaling in one direction has been disabled for long",
    condition: "selectPolicy of a direction is Disabled for 7 days or longer.",
    fix: "remove selectPolicy, unless you want this",
    isFromRecords: true,
    needs: [],
    applies: hasDisabled,
    check: disabledDirection,
  }),
  objectRule({
    id: "PL-039",
    severity: "info",
    title: "the tolerance hides a deviation",
    condition:
      "For an hour a metric was more than 5 % off its target in one direction, within the tolerance.",
    fix: "set a smaller tolerance for that direction: spec.behavior.scaleUp.tolerance or scaleDown.tolerance",
    isFromRecords: true,
    needs: ["history"],
    check: hiddenByTolerance,
  }),
  objectRule({
    id: "PL-040",
    severity: "info",
    title: "a stabilization window holds the replicas",
    condition: "AbleToScale has the reason ScaleDownStabilized or ScaleUpStabilized.",
    fix: "wait, or shorten behavior.scaleDown.stabilizationWindowSeconds (or that of scaleUp)",
    isFromRecords: true,
    needs: [],
    uses: ["decision"],
    check: heldByWindow,
  }),
  objectRule({
    id: "PL-041",
    severity: "warn",
    title: "a rollout inflates the wanted replicas",
    condition:
      "During a rollout, more than 25 % of the replicas are unready or surge pods, and metrics call for more.",
    fix: "lower maxSurge, or make the readiness probe wait until a pod has fully started",
    isFromRecords: true,
    needs: ["target", "pods", "decision"],
    check: inflatedByRollout,
  }),
];
