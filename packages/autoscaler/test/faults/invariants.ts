import { isDeepStrictEqual } from "node:util";
import {
  type DecideInput,
  type DecideResult,
  decide,
  decodeRecord,
  encodeRecord,
  type HpaMemory,
  replay,
  withoutTrace,
} from "@plimsoll/core";
import { applyPolicies } from "@plimsoll/core/steps";
import type { DecisionLog } from "../../src/index.ts";
import type { Scaled } from "../fake-api.ts";

/** One call of the decision function, by whom and when. */
export interface Call {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly result: DecideResult;
  /** False when a test decided in its own way, which follows no rules. */
  readonly isCore: boolean;
}

/** What a test saw of its processes and of its cluster. */
export interface Witness {
  readonly calls: readonly Call[];
  /** Every change of a count, in order. Without calls it is only asked who made them. */
  readonly scaled: readonly Scaled[];
}

/**
 * Which of the invariants that hold under every fault were broken; empty when none was.
 * I1: no scale-down on missing data. I2: minimum, maximum and policies hold, by what was really written.
 * I3: one writer of a target. I4: decisions follow from what was recorded.
 */
export function violations(witness: Witness): readonly string[] {
  const calls = witness.calls.filter(({ isCore }) => isCore);
  return [
    ...calls.flatMap(scalesDownBlindly),
    ...(calls.length > 0 && calls.length === witness.calls.length
      ? exceedsLimits(calls, witness.scaled)
      : []),
    ...hasTwoWriters(witness.scaled),
    ...calls.flatMap(isNotPure),
  ];
}

function targetOf({ hpa }: DecideInput): string {
  return `${hpa.metadata?.namespace ?? "default"}/${hpa.spec.scaleTargetRef.name}`;
}

function scalesDownBlindly({ input, result: { decision } }: Call): readonly string[] {
  if (decision.scaleTo === undefined || decision.scaleTo >= decision.currentReplicas) return [];
  const isBound = decision.trace.some(({ kind }) => kind === "bounds");
  const failed = decision.trace.filter((step) => step.kind === "metric" && step.error !== undefined);
  const isBlind = !input.pods.ok || !input.scale.ok || failed.length > 0;
  return isBlind && !isBound
    ? [`I1: ${targetOf(input)} from ${decision.currentReplicas} to ${decision.scaleTo} without data`]
    : [];
}

function exceedsLimits(calls: readonly Call[], scaled: readonly Scaled[]): readonly string[] {
  return scaled.flatMap((change, index) => {
    const { target, from, to, atMs } = change;
    const by = calls.findLast(
      ({ input, result }) =>
        targetOf(input) === target && input.nowMs <= atMs && result.decision.scaleTo === to,
    );
    const described = `${target} from ${from} to ${to} at ${new Date(atMs).toISOString()}`;
    if (by === undefined) return [`I4: no decision led to ${described}`];
    const { minReplicas = 1, maxReplicas, behavior } = by.input.hpa.spec;
    if (to < minReplicas || to > maxReplicas) return [`I2: ${described} is not within the bounds`];
    if (from < minReplicas || from > maxReplicas) return [];
    const before = scaled.slice(0, index).filter((other) => other.target === target);
    const events = (isUp: boolean) =>
      before
        .filter((other) => other.to > other.from === isUp)
        .map((other) => ({ change: Math.abs(other.to - other.from), atMs: other.atMs }));
    const allowed = applyPolicies({
      nowMs: atMs,
      currentReplicas: from,
      desiredReplicas: to,
      minReplicas,
      maxReplicas,
      behavior,
      scaleUpEvents: events(true),
      scaleDownEvents: events(false),
    });
    return allowed.replicas === to ? [] : [`I2: ${described}, and the policies allow ${allowed.replicas}`];
  });
}

/** Who wrote a target once and saw another write it must not come back to it. */
function hasTwoWriters(scaled: readonly Scaled[]): readonly string[] {
  const past = new Map<string, string[]>();
  return scaled.flatMap(({ target, agent }) => {
    const agents = past.get(target) ?? [];
    past.set(target, agents);
    if (agents.at(-1) === agent) return [];
    const isBack = agents.includes(agent);
    agents.push(agent);
    return isBack ? [`I3: ${target} was written by ${agents.join(", then ")}`] : [];
  });
}

/** I4: every record that is kept gives, written to a file and read again, the result that it has. */
export function notReplayed(decisions: DecisionLog): readonly string[] {
  return decisions
    .latest()
    .flatMap(({ namespace, name, resource }) => decisions.records(namespace, name, resource))
    .filter((record) => {
      const read = decodeRecord(encodeRecord(record));
      return encodeRecord({ ...read, result: withoutTrace(replay(read)) }) !== encodeRecord(record);
    })
    .map(({ input, at }) => `I4: the record of ${targetOf(input)} at ${at} replays to another result`);
}

function isNotPure({ input, memory, result }: Call): readonly string[] {
  const again = decide(copied(input), memory === undefined ? undefined : copied(memory));
  return isDeepStrictEqual(copied(again), copied(result))
    ? []
    : [`I4: ${targetOf(input)} at ${new Date(input.nowMs).toISOString()} is decided differently again`];
}

/** As it would be written to a file and read again. */
function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
