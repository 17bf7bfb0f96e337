// Generates random spec.behavior: policies, windows, tolerances.
import type { Random } from "../random.ts";

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly {
    readonly type: string;
    readonly value: number;
    readonly periodSeconds: number;
  }[];
  readonly tolerance?: string;
}

export interface Behavior {
  readonly scaleUp?: ScalingRules;
  readonly scaleDown?: ScalingRules;
}

/** Always valid; each side and each field may be left to the defaults. */
export function someBehavior(random: Random): Behavior {
  return {
    ...(random.chance(0.75) ? { scaleUp: someRules(random) } : {}),
    ...(random.chance(0.75) ? { scaleDown: someRules(random) } : {}),
  };
}

function someRules(random: Random): ScalingRules {
  return {
    ...(random.chance(0.6)
      ? {
          stabilizationWindowSeconds: random.weighted([
            [3, 0],
            [5, random.pick([15, 30, 60, 120])],
            [1, random.int(0, 3600)],
          ]),
        }
      : {}),
    ...(random.chance(0.5) ? { selectPolicy: random.pick(["Max", "Min", "Max", "Min", "Disabled"]) } : {}),
    ...(random.chance(0.8)
      ? { policies: Array.from({ length: random.int(1, 3) }, () => somePolicy(random)) }
      : {}),
    ...(random.chance(0.12) ? { tolerance: random.pick(["0", "50m", "0.1", "0.2", "1"]) } : {}),
  };
}

function somePolicy(random: Random): { type: string; value: number; periodSeconds: number } {
  const percent = random.chance(0.5);
  const value = percent
    ? random.weighted([
        [4, random.pick([10, 20, 30, 50, 100, 200])],
        [3, random.int(1, 150)],
        [0.5, random.int(100, 100_000)],
        [0.1, 2_147_483_647],
      ])
    : random.weighted([
        [6, random.int(1, 10)],
        [2, random.int(10, 100)],
        [0.2, 2_147_483_647],
      ]);
  return {
    type: percent ? "Percent" : "Pods",
    value,
    periodSeconds: random.weighted([
      [5, random.pick([15, 30, 60, 120])],
      [2, random.int(1, 300)],
      [1, 1800],
    ]),
  };
}

/** The ages at which an entry of a log starts or stops to count. */
export function edgesOf(
  behavior: Behavior | undefined,
  downscaleSeconds: number,
): readonly [number, ...number[]] {
  const sides = [behavior?.scaleUp, behavior?.scaleDown];
  const windows = sides.flatMap((rules) => rules?.stabilizationWindowSeconds ?? []);
  const periods = sides.flatMap((rules) => rules?.policies?.map((policy) => policy.periodSeconds) ?? []);
  return [downscaleSeconds, 15, 0, ...windows, ...periods];
}
