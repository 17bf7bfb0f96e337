// Finds when what holds the replicas may let them go. The steps themselves are asked: each treats the edge of its window
// in its own way.
import { scaleDownLimit, scaleUpLimit } from "../../decide/behavior/rate.ts";
import { stabilizeReplicas } from "../../decide/behavior/stabilize.ts";
import { isForbidden } from "../../decide/cooldown.ts";
import type { Decision, HpaMemory, ScaleEvent } from "../../objects/decision.ts";
import type { CooldownTrace, RateTrace, StabilizeTrace, TraceStep } from "../../objects/trace/step.ts";
import { minInt32 } from "../../values/number/go-float.ts";
import { stepOf } from "./step-of.ts";
import type { HeldBy } from "./types.ts";

/** The first instant at which it may; undefined: no time is known. */
export function releaseMs(decision: Decision, heldBy: HeldBy): number | undefined {
  const { trace } = decision;
  if (heldBy === "stabilize") return windowReleaseMs(stepOf(trace, "stabilize"));
  if (heldBy === "rate") return rateReleaseMs(decision, stepOf(trace, "rate"));
  if (heldBy === "cooldown") return cooldownReleaseMs(stepOf(trace, "cooldown"));
  return heldBy === "schedule" ? stepOf(trace, "schedules")?.nextMs : undefined;
}

function cooldownReleaseMs(step: CooldownTrace | undefined): number | undefined {
  if (step === undefined) return undefined;
  const { lastScaleAtMs, windowMs } = step;
  return firstOf([lastScaleAtMs + windowMs], (ms) => !isForbidden(lastScaleAtMs, windowMs, ms));
}

/** The first of some instants, or the millisecond after one, at which something holds. */
function firstOf(instantsMs: readonly number[], holds: (ms: number) => boolean): number | undefined {
  return instantsMs
    .toSorted((one, other) => one - other)
    .flatMap((ms) => [ms, ms + 1])
    .find(holds);
}

function windowReleaseMs(step: StabilizeTrace | undefined): number | undefined {
  if (step?.heldBy === undefined) return undefined;
  const { heldBy, mode, currentReplicas, desired, downWindowSeconds, upWindowSeconds = 0 } = step;
  const rules = { selectPolicy: "Max", policies: [] };
  const input = {
    currentReplicas,
    desiredReplicas: desired,
    recommendations: [heldBy],
    behavior:
      mode === "legacy"
        ? undefined
        : {
            scaleUp: { ...rules, stabilizationWindowSeconds: upWindowSeconds },
            scaleDown: { ...rules, stabilizationWindowSeconds: downWindowSeconds },
          },
    downscaleStabilizationMs: downWindowSeconds * 1000,
  };
  return firstOf(
    [upWindowSeconds, downWindowSeconds].map((seconds) => heldBy.atMs + seconds * 1000),
    (nowMs) => stabilizeReplicas({ ...input, nowMs }).replicas === desired,
  );
}

/** Some change that uses up a policy is too old to count then, the one of this decision included. */
function rateReleaseMs(decision: Decision, step: RateTrace | undefined): number | undefined {
  if (step === undefined || step.selectPolicy === "Disabled") return undefined;
  const { direction, policies, selectPolicy } = step;
  const currentReplicas = decision.scaleTo ?? decision.currentReplicas;
  const memory = memoryOf(decision, step);
  const { unknownHistory } = memory;
  const scaledMs = decision.beforeRescale?.nowMs ?? [];
  const endsMs = policies.flatMap(({ periodSeconds, events, unknown }) =>
    [
      events.map(({ atMs }) => atMs),
      scaledMs,
      unknown === undefined ? [] : (unknownHistory?.lastScaleMs ?? []),
    ]
      .flat()
      .map((atMs) => atMs + periodSeconds * 1000),
  );
  // A limit that wrapped shows how the release counts.
  const saturates = policies.every(({ limit }) => limit !== minInt32);
  const limitAt = direction === "up" ? scaleUpLimit : scaleDownLimit;
  return firstOf(endsMs, (nowMs) => {
    const { limit } = limitAt({ nowMs, currentReplicas, memory, saturates }, { selectPolicy, policies });
    return direction === "up" ? limit > currentReplicas : limit < currentReplicas;
  });
}

/** The changes that the policies count after this decision: the policy of the longest period lists them all. */
function memoryOf({ trace, scaleTo, currentReplicas, beforeRescale }: Decision, step: RateTrace): HpaMemory {
  const longest = step.policies.reduce<RateTrace["policies"][number] | undefined>(
    (one, other) => (one === undefined || other.periodSeconds > one.periodSeconds ? other : one),
    undefined,
  );
  const eventsOf = (direction: "up" | "down"): readonly ScaleEvent[] => {
    const known = (longest?.events ?? []).filter((event) => event.direction === direction);
    if (scaleTo === undefined || beforeRescale === undefined || direction !== step.direction) return known;
    return [...known, { change: Math.abs(scaleTo - currentReplicas), atMs: beforeRescale.nowMs }];
  };
  return {
    recommendations: [],
    scaleUpEvents: eventsOf("up"),
    scaleDownEvents: eventsOf("down"),
    ...unknownOf(trace),
  };
}

function unknownOf(trace: readonly TraceStep[]): Pick<HpaMemory, "unknownHistory"> {
  const step = stepOf(trace, "unknown-history");
  return step === undefined
    ? {}
    : { unknownHistory: { lastScaleMs: step.lastScaleAtMs, untilMs: step.untilMs } };
}
