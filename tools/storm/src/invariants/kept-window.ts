// Invariant: stabilization is kept when a process takes over.
import type { CreateInvariant } from "../run/world.ts";
import type { Decided } from "./decisions.ts";

interface Beginning {
  readonly atMs: number;
  readonly replicas: number;
  /** The shortest window since. */
  windowMs: number;
}

/** Clocks that are slewed, and times that are cut to seconds. */
const precisionMs = 2000;

/**
 * For as long as its window, a process that knows no former recommendations does not scale below the replicas that it found. A
 * target outside of its bounds is brought back at once.
 */
export const keptWindow: CreateInvariant = ({ time }) => {
  const beginnings = new Map<string, Beginning>();
  return {
    name: "kept-window",
    observe(observation) {
      if (observation.kind !== "decided" || !observation.input.scale.ok) return undefined;
      const { process, input, memory, result } = observation;
      const { specReplicas } = input.scale as { readonly specReplicas: number };
      const key = `${process} ${input.hpa.metadata?.uid}`;
      const windowMs = windowOf(input);
      if ((memory?.recommendations ?? []).length === 0)
        beginnings.set(key, { atMs: time.nowMs, replicas: specReplicas, windowMs });
      const began = beginnings.get(key);
      if (began === undefined) return undefined;
      began.windowMs = Math.min(began.windowMs, windowMs);
      const ageMs = time.nowMs - began.atMs;
      if (ageMs > began.windowMs) beginnings.delete(key);
      if (ageMs > began.windowMs - precisionMs) return undefined;
      const { scaleTo = specReplicas, trace } = result.decision;
      const isByMetrics = trace.some(({ kind }) => kind === "stabilize");
      if (!isByMetrics) return undefined;
      if (scaleTo >= Math.min(specReplicas, began.replicas)) return true;
      return `${process} scales ${input.hpa.metadata?.name} down to ${scaleTo}, ${ageMs} ms after it found ${began.replicas} replicas`;
    },
  };
};

export function windowOf({ hpa: { spec }, options }: Decided["input"]): number {
  const { downscaleStabilizationMs = 300_000 } = options ?? {};
  const seconds = spec.behavior?.scaleDown?.stabilizationWindowSeconds;
  return typeof seconds === "number" ? seconds * 1000 : downscaleStabilizationMs;
}
