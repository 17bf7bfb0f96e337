// Reads and validates the saved memory of an object.
import type { HpaMemory, UnconfirmedScale, UnknownHistory } from "../objects/decision.ts";
import { emptyMemory } from "../objects/empty-memory.ts";
import { isObject } from "../values/fields.ts";

/** Memory from storage may be anything; what is not a list of entries counts as empty. */
export function readMemory(memory: HpaMemory | undefined): HpaMemory {
  if (!isObject(memory)) return emptyMemory;
  const { lastGoodSamples, failingSinceMs, unknownHistory, unconfirmedScale } = memory;
  const known = {
    recommendations: entries(memory.recommendations, "replicas"),
    scaleUpEvents: entries(memory.scaleUpEvents, "change"),
    scaleDownEvents: entries(memory.scaleDownEvents, "change"),
  };
  if ([lastGoodSamples, failingSinceMs, unknownHistory, unconfirmedScale].every((one) => one === undefined))
    return known;
  return {
    ...known,
    ...(isObject(lastGoodSamples) ? { lastGoodSamples } : {}),
    ...(isObject(failingSinceMs) ? { failingSinceMs } : {}),
    ...(isHistory(unknownHistory) ? { unknownHistory } : {}),
    ...(isObject(unconfirmedScale) && Number.isFinite(unconfirmedScale.replicas)
      ? { unconfirmedScale: readScale(unconfirmedScale) }
      : {}),
  };
}

/** The list itself where all of it can be used. */
function entries<T extends { readonly atMs: number }>(list: readonly T[], count: keyof T): readonly T[] {
  if (!Array.isArray(list)) return [];
  const isUsable = (entry: T) => Number.isFinite(entry?.atMs) && Number.isFinite(entry[count]);
  return (list as readonly T[]).every(isUsable) ? list : list.filter(isUsable);
}

function isHistory(history: UnknownHistory | undefined): history is UnknownHistory {
  return isObject(history) && Number.isFinite(history.lastScaleMs) && Number.isFinite(history.untilMs);
}

function readScale({ replicas, scaleUpEvents, scaleDownEvents }: UnconfirmedScale): UnconfirmedScale {
  return {
    replicas,
    scaleUpEvents: entries(scaleUpEvents, "change"),
    scaleDownEvents: entries(scaleDownEvents, "change"),
  };
}
