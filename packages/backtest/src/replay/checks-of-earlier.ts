// The counter-checks of what was read, for decisions within the windows: what they proposed is remembered.
import { decide, type HpaMemory } from "@plimsoll/core";
import type { InputChange, ReplayInputs } from "./inputs.ts";
import type { FoundCause, MismatchCase } from "./mismatch.ts";
import type { RecordedDecision } from "./recorded-decisions.ts";

/** So many decisions of a window are looked at, the newest first. */
const maxEarlier = 20;
const dayMs = 86_400_000;
/** A value may be measured so much otherwise. */
export const nearFactors = [1.01, 0.99, 1.02, 0.98, 1.03, 0.97];

/** A change of an input, and how it is said. */
export interface NamedChange {
  readonly text: string;
  readonly change: InputChange;
}

/** One earlier decision of the window with another input proposed something else, which gives what was recorded. */
export function earlierChange(
  mismatch: MismatchCase,
  changesOf: (decision: RecordedDecision) => readonly NamedChange[],
): FoundCause | undefined {
  const { decisions, at, decision, state, windowMs, inputs } = mismatch;
  const { memory } = state;
  if (memory === undefined) return undefined;
  for (const earlier of decisions.slice(Math.max(0, at - maxEarlier), at).toReversed()) {
    if (decision.atMs - earlier.atMs > windowMs) return undefined;
    const own = memory.recommendations.find(({ atMs }) => atMs === earlier.atMs);
    const tried = new Set([own?.replicas]);
    for (const { text, change } of own === undefined ? [] : changesOf(earlier)) {
      const replicas = proposalOf(inputs, earlier, { change, mismatch });
      if (replicas === undefined || tried.has(replicas)) continue;
      tried.add(replicas);
      const result = mismatch.tryMemory(withProposal(memory, earlier.atMs, replicas));
      if (result === undefined) continue;
      const time = new Date(earlier.atMs).toISOString();
      return {
        evidence: `with ${text} at ${time}, metrics called for ${replicas} there, and it decides ${decision.recorded}`,
        result,
      };
    }
  }
  return undefined;
}

/**
 * Several decisions of the window with another input: each that proposed too much, or too little, proposed otherwise. It is
 * one thing that was otherwise for a while, such as a server that is late.
 */
export function severalChanges(
  mismatch: MismatchCase,
  changesOf: (decision: RecordedDecision) => readonly NamedChange[],
): FoundCause | undefined {
  const { decisions, at, decision, state, result, windowMs, inputs } = mismatch;
  if (state.memory === undefined) return undefined;
  const { recorded } = decision;
  const side = Math.sign(mismatch.countOf(result, decision) - recorded);
  let { memory } = state;
  let [changed, sinceMs] = [0, decision.atMs];
  for (const earlier of decisions.slice(Math.max(0, at - maxEarlier), at).toReversed()) {
    if (decision.atMs - earlier.atMs > windowMs) break;
    const own = memory.recommendations.find(({ atMs }) => atMs === earlier.atMs);
    if (own === undefined || Math.sign(own.replicas - recorded) !== side) continue;
    const others = changesOf(earlier).flatMap(
      ({ change }) => proposalOf(inputs, earlier, { change, mismatch }) ?? [],
    );
    const [nearest] = others
      .filter((replicas) => Math.sign(replicas - recorded) !== side)
      .toSorted((a, b) => Math.abs(a - recorded) - Math.abs(b - recorded));
    if (nearest === undefined) continue;
    memory = withProposal(memory, earlier.atMs, nearest);
    [changed, sinceMs] = [changed + 1, earlier.atMs];
    for (const change of [{}, ...changesOf(decision).map((one) => one.change)]) {
      const found = mismatch.tryInput(change, memory);
      if (found === undefined) continue;
      const also = Object.keys(change).length;
      return { evidence: severalText(changed + also, sinceMs, recorded), result: found };
    }
  }
  return undefined;
}

function severalText(count: number, sinceMs: number, recorded: number): string {
  const decisions = count === 1 ? "one decision" : `${count} decisions`;
  return `with older samples at ${decisions} since ${new Date(sinceMs).toISOString()} it decides ${recorded}`;
}

/** Before any window counts. */
function proposalOf(
  inputs: ReplayInputs,
  decision: RecordedDecision,
  { change, mismatch }: { readonly change: InputChange; readonly mismatch: MismatchCase },
): number | undefined {
  const input = inputs.read(decision, mismatch.state.status, change);
  if (input === undefined) return undefined;
  const long = { replicas: decision.current, atMs: decision.atMs - dayMs };
  const { memory } = decide(input, { recommendations: [long], scaleUpEvents: [], scaleDownEvents: [] });
  return memory.recommendations.find(({ atMs }) => atMs === input.nowMs)?.replicas;
}

function withProposal(memory: HpaMemory, atMs: number, replicas: number): HpaMemory {
  const recommendations = memory.recommendations.map((one) =>
    one.atMs === atMs ? { ...one, replicas } : one,
  );
  return { ...memory, recommendations };
}
