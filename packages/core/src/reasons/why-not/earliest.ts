// Finds the first instant at which `decide` gives so many replicas, with everything else as it is.

import { decide } from "../../decide/decide.ts";
import { readOptions } from "../../decide/subject.ts";
import { defaultBehavior } from "../../objects/api/behavior-defaults.ts";
import type { DecideInput, DecideResult, HpaMemory, Recommendation } from "../../objects/decision.ts";
import { instantMs } from "../../values/time/rfc3339.ts";

const maxCalls = 40;
/** After a change the next one follows at the next evaluation at the earliest; this is the controller's default. */
const syncPeriodMs = 15_000;

/**
 * Decides again at each instant at which a window or a period ends, as a controller would: what is decided on the way
 * is made. Undefined: not within 40 decisions, or never.
 */
export function earliestMs(input: DecideInput, result: DecideResult, n: number): number | undefined {
  let state = afterwards(input, result);
  for (let calls = 0; calls < maxCalls; calls++) {
    const nextMs = nextEdgeMs(state, n);
    if (nextMs === undefined) return undefined;
    const next = decide({ ...state.input, nowMs: nextMs }, state.memory);
    if (desiredOf(next) === n) return nextMs;
    state = afterwards({ ...state.input, nowMs: nextMs }, next);
  }
  return undefined;
}

interface State {
  readonly input: DecideInput;
  readonly memory: HpaMemory;
  /** The evaluation before changed the replicas: the next one may go on from there. */
  readonly hasScaled: boolean;
}

export function desiredOf({ decision }: Pick<DecideResult, "decision">): number {
  return decision.scaleTo ?? decision.currentReplicas;
}

/** The next evaluation finds the scale made, and the status written. */
function afterwards(input: DecideInput, { decision, memory }: DecideResult): State {
  const { scale, hpa } = input;
  const { scaleTo, status } = decision;
  const made =
    scale.ok && scaleTo !== undefined ? { ...scale, specReplicas: scaleTo, statusReplicas: scaleTo } : scale;
  return {
    input: { ...input, scale: made, hpa: { ...hpa, status } },
    memory,
    hasScaled: scaleTo !== undefined,
  };
}

/** The next instant at which something that was counted may count no more: each edge, and the millisecond after it. */
function nextEdgeMs({ input, memory, hasScaled }: State, n: number): number | undefined {
  const { nowMs, hpa } = input;
  const options = readOptions(input.options);
  const given = hpa.spec.behavior;
  const { scaleUp, scaleDown } = defaultBehavior(given ?? {});
  const downMs =
    given === undefined || scaleDown.stabilizationWindowSeconds === undefined
      ? options.downscaleStabilizationMs
      : scaleDown.stabilizationWindowSeconds * 1000;
  const upMs = (given === undefined ? 0 : (scaleUp.stabilizationWindowSeconds ?? 0)) * 1000;
  const scaledMs = instantMs(hpa.status?.lastScaleTime);
  const edges = [
    hasScaled ? nowMs + syncPeriodMs : [],
    ...stairs(memory.recommendations, (replicas) => replicas > n, Math.max).map((atMs) => atMs + downMs),
    ...stairs(memory.recommendations, (replicas) => replicas < n, Math.min).map((atMs) => atMs + upMs),
    ...[...scaleUp.policies, ...scaleDown.policies].flatMap(({ periodSeconds }) =>
      changesMs(memory).map((atMs) => atMs + periodSeconds * 1000),
    ),
    ...(scaledMs === undefined
      ? []
      : [options.upscaleForbiddenWindowMs, options.downscaleForbiddenWindowMs].map((ms) => scaledMs + ms)),
  ]
    .flat()
    .flatMap((ms) => [ms, ms + 1]);
  const later = edges.filter((ms) => ms > nowMs);
  return later.length === 0 ? undefined : Math.min(...later);
}

function changesMs({ scaleUpEvents, scaleDownEvents, unknownHistory }: HpaMemory): readonly number[] {
  const known = [...scaleUpEvents, ...scaleDownEvents].map(({ atMs }) => atMs);
  return unknownHistory === undefined ? known : [...known, unknownHistory.lastScaleMs];
}

/** Of the recommendations that hold, those whose end changes the extreme of the rest. */
function stairs(
  log: readonly Recommendation[],
  holds: (replicas: number) => boolean,
  extreme: (one: number, other: number) => number,
): readonly number[] {
  const edges: number[] = [];
  let reached: number | undefined;
  const newestFirst = log
    .filter(({ replicas }) => holds(replicas))
    .toSorted((one, other) => other.atMs - one.atMs);
  for (const { replicas, atMs } of newestFirst) {
    if (reached !== undefined && extreme(reached, replicas) === reached) continue;
    reached = replicas;
    edges.push(atMs);
  }
  return edges;
}
