// Generates random cases of stabilization windows, policies and limits.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { instant, nearEdge, someNow } from "./instant.ts";
import { someOptions } from "./options.ts";
import { edgesOf, someBehavior } from "./rules.ts";

export function behaviorCase(random: Random, name: string): VectorCase {
  const nowMs = someNow(random);
  const options = someOptions(random);
  const behavior = random.chance(0.3) ? undefined : someBehavior(random);
  const edges = edgesOf(behavior, options?.downscaleStabilizationSeconds ?? 300);
  const currentReplicas = someCount(random);
  const limits = someLimits(random, currentReplicas);
  const at = (): string => instant(pastInstant(random, nowMs, edges));
  const near = (): number => clamp(currentReplicas + random.int(-12, 12));
  const changes = (): { change: number; at: string }[] =>
    Array.from({ length: random.int(0, 4) }, () => ({ change: someChange(random), at: at() }));
  return {
    name,
    now: instant(nowMs),
    ...(options === undefined ? {} : { options }),
    spec: { ...limits, ...(behavior === undefined ? {} : { behavior }) },
    currentReplicas,
    desiredReplicas: someDesired(random, currentReplicas),
    ...(random.chance(0.8)
      ? { recommendations: Array.from({ length: random.int(0, 7) }, () => ({ replicas: near(), at: at() })) }
      : {}),
    ...(random.chance(0.6) ? { scaleUpEvents: changes() } : {}),
    ...(random.chance(0.6) ? { scaleDownEvents: changes() } : {}),
  };
}

function someCount(random: Random): number {
  return random.weighted([
    [50, random.int(1, 20)],
    [25, random.int(20, 200)],
    [6, 0],
    [5, random.int(200, 10_000)],
    [1, 2_147_483_647],
    [1, 1_500_000_000],
  ]);
}

function someLimits(random: Random, current: number): { minReplicas?: number; maxReplicas: number } {
  const lowest = random.weighted([
    [5, 1],
    [2, 0],
    [3, Math.max(1, current - random.int(0, 10))],
  ]);
  const minReplicas = Math.min(lowest, 2_147_483_600);
  const maxReplicas = random.weighted([
    [5, current + random.int(0, 10)],
    [3, 2 * current],
    [3, 1000],
    [1, 2_147_483_647],
  ]);
  return {
    ...(random.chance(0.9) ? { minReplicas } : {}),
    maxReplicas: Math.min(2_147_483_647, Math.max(maxReplicas, random.chance(0.98) ? minReplicas : 1, 1)),
  };
}

function someDesired(random: Random, current: number): number {
  const desired = random.weighted([
    [40, current + random.int(-12, 12)],
    [15, current],
    [12, current * 2 + random.int(-1, 1)],
    [12, Math.floor(current / 2)],
    [8, 0],
    [8, current * random.int(2, 5)],
    [2, 2_147_483_647],
  ]);
  return clamp(desired);
}

function clamp(count: number): number {
  return Math.min(2_147_483_647, Math.max(0, count));
}

function someChange(random: Random): number {
  return random.weighted([
    [8, random.int(1, 10)],
    [2, random.int(10, 100)],
    [0.2, 2_147_483_647],
  ]);
}

function pastInstant(random: Random, nowMs: number, edges: readonly [number, ...number[]]): number {
  return random.chance(0.55)
    ? Math.min(nowMs, nearEdge(random, nowMs - random.pick(edges) * 1000))
    : nowMs - random.int(0, 400_000);
}
