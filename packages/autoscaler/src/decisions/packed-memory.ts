// Packs the memory of an object between its evaluations: with a period of 3 s it has a hundred recommendations.
import type { HpaMemory, Recommendation } from "@plimsoll/core";

/** Recommendations as columns: the replicas are mostly the same in all of them. */
export interface PackedMemory extends Omit<HpaMemory, "recommendations"> {
  readonly atMs: readonly number[];
  /** One for all, or one for each. */
  readonly replicas: number | readonly number[];
}

/** As it is kept: few recommendations are not worth packing. */
export type KeptMemory = HpaMemory | PackedMemory;

const minPacked = 4;

/** The recommendations are taken for what `decide` makes: a count and an instant. */
export function packMemory(memory: HpaMemory): KeptMemory {
  const { recommendations, ...others } = memory;
  const { length } = recommendations;
  if (length < minPacked) return memory;
  const atMs: number[] = [];
  const first = recommendations[0]?.replicas ?? 0;
  let isOne = true;
  for (let i = 0; i < length; i++) {
    const entry = recommendations[i];
    atMs.push(entry?.atMs ?? 0);
    if (!Object.is(entry?.replicas, first)) isOne = false;
  }
  return { ...others, atMs, replicas: isOne ? first : recommendations.map(({ replicas }) => replicas) };
}

export function unpackMemory(memory: KeptMemory): HpaMemory {
  if (!("atMs" in memory)) return memory;
  const { atMs, replicas, ...others } = memory;
  const recommendations = atMs.map((at, i): Recommendation => ({ replicas: countAt(replicas, i), atMs: at }));
  return { recommendations, ...others };
}

/** Whether they are the same memory; false where that is not seen at once. */
export function isSameMemory(kept: KeptMemory, memory: HpaMemory | undefined): boolean {
  if (kept === memory) return true;
  if (memory === undefined || !("atMs" in kept) || !isSameBeside(kept, memory)) return false;
  const { recommendations } = memory;
  const { atMs, replicas } = kept;
  if (atMs.length !== recommendations.length) return false;
  for (let i = 0; i < atMs.length; i++) {
    const entry = recommendations[i];
    if (!Object.is(entry?.atMs, atMs[i]) || !Object.is(entry?.replicas, countAt(replicas, i))) return false;
  }
  return true;
}

function countAt(replicas: PackedMemory["replicas"], i: number): number {
  return typeof replicas === "number" ? replicas : (replicas[i] ?? 0);
}

/** Whether all but the recommendations is the same, in the same order; false where that is not seen at once. */
export function isSameBeside(one: KeptMemory, other: KeptMemory): boolean {
  const fields = fieldsBeside(one);
  const others = fieldsBeside(other);
  return (
    fields.length === others.length &&
    fields.every(([name, value], i) => name === others[i]?.[0] && isSameField(value, others[i][1]))
  );
}

const ofRecommendations = new Set(["recommendations", "atMs", "replicas"]);

function fieldsBeside(memory: KeptMemory): readonly (readonly [string, unknown])[] {
  return Object.entries(memory).filter(([name]) => !ofRecommendations.has(name));
}

/** `decide` leaves the very same object of what it does not change. */
function isSameField(one: unknown, other: unknown): boolean {
  return one === other || (isEmpty(one) && isEmpty(other));
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}
