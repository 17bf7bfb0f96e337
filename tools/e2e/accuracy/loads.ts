// Loads by the time after the start, the same in each run.

/** Requests per second. */
export type LoadOf = (afterMs: number) => number;

/** Numbers that are the same in each run: 0 ≤ x < 1. */
function numbers(seed: number): () => number {
  let state = seed % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** One level, and another from an instant on. */
export function step(from: number, to: number, atMs: number): LoadOf {
  return (afterMs) => (afterMs < atMs ? from : to);
}

/** A level, a higher one for a while, and the level again. */
export function spike(
  level: number,
  peak: number,
  span: { readonly fromMs: number; readonly toMs: number },
): LoadOf {
  return (afterMs) => (afterMs >= span.fromMs && afterMs < span.toMs ? peak : level);
}

/** Around a mean; its lowest value is at the start. */
export function wave(mean: number, amplitude: number, periodMs: number): LoadOf {
  return (afterMs) => mean - amplitude * Math.cos((2 * Math.PI * afterMs) / periodMs);
}

const noiseStepMs = 5000;

/** With relative noise that remembers itself for a while. */
export function noisy(
  load: LoadOf,
  noise: { readonly deviation: number; readonly memoryMs: number; readonly seed: number },
): LoadOf {
  const next = numbers(noise.seed + 1);
  const kept = Math.exp(-noiseStepMs / noise.memoryMs);
  const added = noise.deviation * Math.sqrt(1 - kept * kept);
  const values: number[] = [];
  // Twelve numbers together are as good as normal.
  const normal = () => Array.from({ length: 12 }, next).reduce((sum, one) => sum + one, -6);
  return (afterMs) => {
    const at = Math.max(0, Math.floor(afterMs / noiseStepMs));
    while (values.length <= at) values.push(kept * (values.at(-1) ?? 0) + added * normal());
    return Math.max(0, load(afterMs) * (1 + (values[at] ?? 0)));
  };
}

const pointMs = 1000;

/** A load as points, up to and with the end. */
export function pointsOf(
  load: LoadOf,
  durationMs: number,
): readonly { readonly atMs: number; readonly value: number }[] {
  return Array.from({ length: durationMs / pointMs + 1 }, (_, at) => ({
    atMs: at * pointMs,
    value: load(at * pointMs),
  }));
}
