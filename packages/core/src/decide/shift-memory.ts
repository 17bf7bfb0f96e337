import type { HpaMemory, UnconfirmedScale } from "../objects/decision.ts";

/**
 * The memory after the wall clock was set, by so many milliseconds forward: every instant in it is as long ago as it
 * really is. Windows and periods are lengths of time.
 */
export function shiftMemory(memory: HpaMemory, byMs: number): HpaMemory {
  const { lastGoodSamples, failingSinceMs = {}, unknownHistory, unconfirmedScale } = memory;
  const shifted = <T extends { readonly atMs: number }>(entry: T): T => ({
    ...entry,
    atMs: entry.atMs + byMs,
  });
  const samples = Object.entries(lastGoodSamples ?? {}).map(([identity, last]) => [identity, shifted(last)]);
  const failing = Object.entries(failingSinceMs).map(([identity, atMs]) => [identity, atMs + byMs]);
  const eventsOf = ({ scaleUpEvents, scaleDownEvents }: UnconfirmedScale | HpaMemory) => ({
    scaleUpEvents: scaleUpEvents.map(shifted),
    scaleDownEvents: scaleDownEvents.map(shifted),
  });
  return {
    recommendations: memory.recommendations.map(shifted),
    ...eventsOf(memory),
    ...(lastGoodSamples && { lastGoodSamples: Object.fromEntries(samples) }),
    ...(failing.length > 0 && { failingSinceMs: Object.fromEntries(failing) }),
    ...(unknownHistory && {
      unknownHistory: {
        lastScaleMs: unknownHistory.lastScaleMs + byMs,
        untilMs: unknownHistory.untilMs + byMs,
      },
    }),
    ...(unconfirmedScale && {
      unconfirmedScale: { replicas: unconfirmedScale.replicas, ...eventsOf(unconfirmedScale) },
    }),
  };
}
