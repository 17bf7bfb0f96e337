// Recovers what is known of an object's past after a takeover.
import { type HpaMemory, instantMs, recoverMemory } from "@plimsoll/core";
import type { Ownership } from "../../objects/ownership.ts";
import { isAutoscaler } from "../conflicts/foreign-writer.ts";
import type { Observation } from "../observe.ts";
import { unpackMemory } from "../remember/packed-memory.ts";
import type { ObjectState } from "../remember/state.ts";

/** What to decide with: what is remembered and, of an object that is new to us, what can be recovered. */
export function memoryOf(
  observation: Observation,
  state: ObjectState,
  mode: Ownership,
): HpaMemory | undefined {
  const memory = state.memory === undefined ? undefined : unpackMemory(state.memory);
  const { object, scale, nowMs, replicasWriter } = observation;
  if (!scale.ok || (mode === "active" && state.isManaged)) return memory;
  const writtenAtMs =
    replicasWriter !== undefined && isAutoscaler(replicasWriter) ? instantMs(replicasWriter.at) : undefined;
  // In shadow replicas that no status announced were set by a person, and not by the managing controller.
  const replicas = mode === "active" ? scale.specReplicas : (object.status?.desiredReplicas ?? 0);
  const recovered = recoverMemory({ hpa: object, replicas, writtenAtMs, nowMs });
  const base = memory ?? recovered;
  if (base === undefined) return undefined;
  const { unknownHistory: _, ...known } = base;
  const unknownHistory = mode === "active" ? recovered?.unknownHistory : undefined;
  return unknownHistory === undefined ? known : { ...known, unknownHistory };
}
