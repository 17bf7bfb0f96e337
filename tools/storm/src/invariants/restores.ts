// Whether etcd was restored a short while ago.
import type { World } from "../run/world.ts";

/** A watch that was silent meanwhile ends after 90 s, and its lists are older than what it showed for half a minute more. */
const trustedMs = 180_000;

/** Returns whether a process may still go by what it wrote before a restore. */
export function createAfterRestore({ cluster, time }: Pick<World, "cluster" | "time">): () => boolean {
  let untilMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => (untilMs = time.nowMs + trustedMs));
  return () => time.nowMs < untilMs;
}
