import type { HpaMemory } from "../spec/decision.ts";

/**
 * The memory after the wall clock was set, by so many milliseconds forward: every instant in it is as long ago as it
 * really is. Windows and periods are lengths of time.
 */
export function shiftMemory(memory: HpaMemory, byMs: number): HpaMemory {
  const { lastGoodSamples, unknownHistory, unconfirmedScale } = memory;
  const shift = <T extends { readonly atMs: number }>(entries: readonly T[]): readonly T[] =>
    entries.map((entry) => ({ ...entry, atMs: entry.atMs + byMs }));
  return {
    recommendations: shift(memory.recommendations),
    scaleUpEvents: shift(memory.scaleUpEvents),
    scaleDownEvents: shift(memory.scaleDownEvents),
    ...(lastGoodSamples === undefined
      ? {}
      : {
          lastGoodSamples: Object.fromEntries(
            Object.entries(lastGoodSamples).map(([identity, last]) => [
              identity,
              { ...last, atMs: last.atMs + byMs },
            ]),
          ),
        }),
    ...(unknownHistory === undefined
      ? {}
      : {
          unknownHistory: {
            lastScaleMs: unknownHistory.lastScaleMs + byMs,
            untilMs: unknownHistory.untilMs + byMs,
          },
        }),
    ...(unconfirmedScale === undefined
      ? {}
      : {
          unconfirmedScale: {
            replicas: unconfirmedScale.replicas,
            scaleUpEvents: shift(unconfirmedScale.scaleUpEvents),
            scaleDownEvents: shift(unconfirmedScale.scaleDownEvents),
          },
        }),
  };
}
