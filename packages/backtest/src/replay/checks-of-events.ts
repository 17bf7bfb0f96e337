// Counter-checks of what happened: the first window, another specification, failures, other hands, a restart.
import { type DecideResult, decide, type HpaMemory } from "@plimsoll/core";
import { emptyMemory } from "@plimsoll/core/internal/objects";
import { earlierChange, nearFactors } from "./checks-of-earlier.ts";
import { areMissing, type CounterCheck, type MismatchCase } from "./mismatch.ts";
import type { RecordedDecision } from "./recorded-decisions.ts";
import { type ReplayState, stateAfter } from "./replay-memory.ts";

/** Changes before the beginning may count; more of them than this are not tried. */
const maxUnknownChange = 50;
/** Between two scrapes are no more decisions. */
const maxMoves = 20;
/** Starts that are tried, evenly over the window. */
const maxStarts = 40;

/** What was proposed before the beginning is unknown: one proposal, or none at all. */
export const checkWarmUp: CounterCheck = (mismatch) =>
  warmUpBy(mismatch, ({ recommendations, ...memory }, { recorded, current }, sinceMs) => {
    const atMs = sinceMs - 1;
    const own = recommendations.filter((one) => one.atMs > sinceMs);
    return [
      // The first decision takes the count for a proposal, which it may not have been.
      ["other proposals", { ...memory, recommendations: own }],
      ...[...new Set([recorded, current])].map(
        (replicas) =>
          [
            `a proposal of ${replicas}`,
            { ...memory, recommendations: [{ replicas, atMs }, ...own] },
          ] as const,
      ),
    ];
  });

/** A change before the beginning counts against a policy: looked for behind all that was read, as it is not limited by it. */
export const checkEarlierChange: CounterCheck = (mismatch) =>
  warmUpBy(mismatch, (memory, _, sinceMs) =>
    Array.from({ length: maxUnknownChange }, (_each, at) => {
      const event = { change: at + 1, atMs: sinceMs - 1 };
      return [
        [`${event.change} added`, { ...memory, scaleUpEvents: [event, ...memory.scaleUpEvents] }],
        [`${event.change} removed`, { ...memory, scaleDownEvents: [event, ...memory.scaleDownEvents] }],
      ] as const;
    }).flat(),
  );

type NamedMemory = readonly [text: string, memory: HpaMemory];

/** Within the first window. */
function warmUpBy(
  mismatch: MismatchCase,
  memories: (memory: HpaMemory, decision: RecordedDecision, sinceMs: number) => readonly NamedMemory[],
): ReturnType<CounterCheck> {
  const { decision, state, windowMs, sinceMs, periodMs } = mismatch;
  if (decision.atMs - sinceMs > windowMs + periodMs) return undefined;
  for (const [text, memory] of memories(state.memory ?? emptyMemory, decision, sinceMs)) {
    const result = mismatch.tryMemory(memory);
    if (result === undefined) continue;
    return { evidence: `with ${text} before the recording it decides ${decision.recorded}`, result };
  }
  return undefined;
}

/** A bound, a target or a tolerance was read later than it changed, or counted later. */
export const checkSpecChanged: CounterCheck = (mismatch) => {
  const { decision, inputs, periodMs } = mismatch;
  for (const version of inputs.specs.versionsNear(decision.atMs, periodMs)) {
    const result = mismatch.tryInput({ version });
    if (result === undefined) continue;
    const order = version > inputs.specs.versionAt(decision.atMs) ? "after" : "before";
    return {
      evidence: `with the specification ${order} the change near it, it decides ${decision.recorded}`,
      result,
    };
  }
  return undefined;
};

/** Only where there is a sign of it: ScalingActive was false, or samples are absent. */
export const checkMetricFailed: CounterCheck = (mismatch) => {
  const { decision, inputs } = mismatch;
  const isInactive = decision.triple?.scalingActive === false;
  const absent = inputs.metrics.filter(
    ({ level, samples, index }) =>
      isInactive ||
      (level === "status" ? decision.triple?.values[index] === undefined : samples.isAbsent(decision.atMs)),
  );
  const indices = absent.map(({ index }) => index);
  for (const failed of [...indices.map((index) => [index]), indices]) {
    const result = failed.length === 0 ? undefined : mismatch.tryInput({ failed });
    if (result === undefined) continue;
    const sign = isInactive ? "ScalingActive was false" : "samples are absent";
    const which = failed.map((index) => `metrics[${index}]`).join(", ");
    return {
      evidence: `${sign}; with an error in the place of ${which} it decides ${decision.recorded}`,
      result,
    };
  }
  return undefined;
};

/** Between two scrapes of the count it moved several times: from ours, the next decisions go on to what is recorded. */
export const checkTwoMoves: CounterCheck = (mismatch) => {
  const { decisions, at, decision, result, inputs, recording, periodMs } = mismatch;
  const { atMs, recorded } = decision;
  const seen = recording.scale.find((step) => step.atMs > atMs && step.value === recorded);
  let current = mismatch.countOf(result, decision);
  if (inputs.isStatusOnly || seen === undefined || current === decision.current) return undefined;
  // The count is written after the decision, and scraped a little later than that.
  if (seen.earliestMs > atMs + periodMs) return undefined;
  const first = stateAfter(result, { ...decision, recorded: current });
  let state = first;
  const moves = [current];
  for (const next of decisions.slice(at + 1, at + maxMoves)) {
    if (next.atMs > seen.atMs || next.recorded !== recorded) break;
    const input = inputs.read({ ...next, current }, state.status);
    if (input === undefined) return undefined;
    const decided = decide(input, state.memory);
    const count = mismatch.countOf(decided, { ...next, current });
    state = stateAfter(decided, { ...next, current, recorded: count });
    if (count !== current) moves.push(count);
    current = count;
  }
  if (current !== recorded || moves.length < 2) return undefined;
  const memory = state.memory && { ...state.memory, recommendations: first.memory?.recommendations ?? [] };
  return {
    evidence: `replicas changed ${moves.length} times between two scrapes: to ${moves.join(", then to ")}`,
    state: { ...first, memory },
  };
};

/** The count moved, and the controller's own status says that it wanted what we decide. */
export const checkManualScale: CounterCheck = (mismatch) => {
  const { decision, result, inputs, recording, periodMs } = mismatch;
  const { atMs, triple, recorded, current } = decision;
  if (inputs.isStatusOnly || triple === undefined || recorded === current) return undefined;
  // Where the instants are known to a second only, it may be the controller's own change of a decision beside it.
  const wanted = recording.status.some(
    (one) =>
      Math.abs(one.atMs - atMs) <= 2 * periodMs &&
      one.currentReplicas !== recorded &&
      one.desiredReplicas === recorded,
  );
  if (wanted) return undefined;
  const ours = mismatch.countOf(result, decision);
  if (triple.desiredReplicas === recorded || triple.desiredReplicas !== ours || isOfNoise(mismatch))
    return undefined;
  return {
    evidence: `replicas changed to ${recorded}, but the controller's status wants ${ours}`,
    state: stateAfter(result, { ...decision, recorded: ours }),
  };
};

/**
 * The memory was emptied at one instant of the window: it has to explain everything from there until the windows are
 * full again, and more than one mismatch, since almost any scale-down that is held once would look like it.
 */
export const checkRestart: CounterCheck = (mismatch) => {
  const { decisions, at, decision, windowMs } = mismatch;
  // What was proposed in between is unknown, which looks the same.
  if (areMissing(mismatch)) return undefined;
  const starts: number[] = [];
  for (let start = at; start > 0; start--) {
    if (decision.atMs - (decisions[start]?.atMs ?? 0) > windowMs) break;
    starts.push(start);
  }
  const every = Math.max(1, Math.ceil(starts.length / maxStarts));
  const tried = starts.filter((_, n) => n % every === 0);
  if (tried.length === 0 || !goesOn(mismatch) || isOfNoise(mismatch)) return undefined;
  for (const start of tried) {
    const state = explainsAll(mismatch, start);
    if (state === undefined) continue;
    const time = new Date(decisions[start]?.atMs ?? 0).toISOString();
    return {
      evidence: `with a memory emptied at ${time}, everything decides as recorded until the windows are full`,
      state,
    };
  }
  return undefined;
};

/** Values that are a little otherwise explain it as well. */
function isOfNoise(mismatch: MismatchCase): boolean {
  const changes = mismatch.inputs.metrics.flatMap(({ index }) =>
    nearFactors.map((times) => ({ text: "", change: { values: { metric: index, change: { times } } } })),
  );
  return (
    changes.some(({ change }) => mismatch.tryInput(change) !== undefined) ||
    earlierChange(mismatch, () => changes) !== undefined
  );
}

/** With the memory that we have, another mismatch follows within the window. */
function goesOn(mismatch: MismatchCase): boolean {
  const { at, decision, result, windowMs } = mismatch;
  const walk = { from: at + 1, toMs: decision.atMs + windowMs, state: stateAfter(result, decision) };
  return !walkDecisions(mismatch, walk, (isSame) => isSame);
}

/** The state behind the mismatch, of a controller that started with nothing. */
function explainsAll(mismatch: MismatchCase, start: number): ReplayState | undefined {
  const { decisions, at, windowMs } = mismatch;
  let found: ReplayState | undefined;
  const toMs = (decisions[start]?.atMs ?? 0) + windowMs;
  const walk = { from: start, toMs, state: { memory: undefined, status: mismatch.state.status } };
  const isAll = walkDecisions(mismatch, walk, (isSame, position, state) => {
    if (position === at) found = state;
    return isSame;
  });
  return isAll ? found : undefined;
}

/** Decides again and again, as long as `goOn` says so; true: to the end. */
function walkDecisions(
  { decisions, inputs, countOf }: MismatchCase,
  { from, toMs, state: first }: { readonly from: number; readonly toMs: number; readonly state: ReplayState },
  goOn: (isSame: boolean, position: number, state: ReplayState) => boolean,
): boolean {
  let state = first;
  for (let position = from; position < decisions.length; position++) {
    const decision = decisions[position];
    if (decision === undefined || decision.atMs > toMs) break;
    const input = inputs.read(decision, state.status);
    if (input === undefined) continue;
    const result: DecideResult = decide(input, state.memory);
    state = stateAfter(result, decision);
    if (!goOn(countOf(result, decision) === decision.recorded, position, state)) return false;
  }
  return true;
}
