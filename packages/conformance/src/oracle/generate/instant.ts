// Generates random instants, most of them near the edges of comparisons.
import type { Random } from "../random.ts";

/** Where the clock of a case stands: an arbitrary instant, mostly on a whole second. */
export function someNow(random: Random): number {
  const base = Date.UTC(2026, 0, 1) + random.int(0, 86_400 * 90) * 1000;
  return random.chance(0.8) ? base : base + random.int(0, 999);
}

export function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace(".000Z", "Z");
}

/** An instant at, just before or just after an edge; comparisons there are strict or not. */
export function nearEdge(random: Random, edgeMs: number): number {
  return edgeMs + random.pick([0, 0, 1, -1, 1000, -1000, 30_000, -30_000]);
}

export const zeroTime = "0001-01-01T00:00:00Z";
