// Draws the rules of scaling in each direction.
import type { HpaBehavior, ScalingRules } from "@plimsoll/core";
import type { Random } from "../random/random.ts";

/** Undefined sometimes: then the defaults of the controller apply. */
export function drawBehavior(random: Random): HpaBehavior | undefined {
  if (random.chance(0.35)) return undefined;
  return {
    ...(random.chance(0.7) ? { scaleUp: drawRules(random.stream("up"), [0, 0, 30, 120]) } : {}),
    ...(random.chance(0.85) ? { scaleDown: drawRules(random.stream("down"), [0, 60, 120, 300]) } : {}),
  };
}

function drawRules(random: Random, windows: readonly [number, ...number[]]): ScalingRules {
  const policies = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    random.chance(0.6)
      ? {
          type: "Pods",
          value: random.between(1, 4),
          periodSeconds: random.pick([15, 30, 60, 120, 300, 900, 1800]),
        }
      : {
          type: "Percent",
          value: random.pick([10, 25, 50, 100]),
          periodSeconds: random.pick([15, 60, 180, 1800]),
        },
  );
  return {
    ...(random.chance(0.8) ? { stabilizationWindowSeconds: random.pick(windows) } : {}),
    ...(random.chance(0.3) ? { selectPolicy: random.pick(["Max", "Min", "Min", "Disabled"]) } : {}),
    policies,
    ...(random.chance(0.2) ? { tolerance: random.pick(["0", "0.05", "200m"]) } : {}),
  };
}
