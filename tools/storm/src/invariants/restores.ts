// Whether etcd was restored a short while ago.
import type { World } from "../run/world.ts";

/** What a process wrote before a restore wins for so long over what the store has since. */
const trustedMs = 360_000;

/** Returns whether a process may still go by what it wrote before a restore. */
export function createAfterRestore({ cluster, time }: Pick<World, "cluster" | "time">): () => boolean {
  let untilMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => (untilMs = time.nowMs + trustedMs));
  return () => time.nowMs < untilMs;
}
