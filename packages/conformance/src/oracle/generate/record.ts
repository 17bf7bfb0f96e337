import type { Members } from "../members.ts";
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { decisionCase } from "./decision.ts";

/** A trajectory of a WorkloadAutoscaler: with failure policies, modes, schedules and takeovers. */
export function recordCase(random: Random, name: string): VectorCase {
  const decisions = decisionCase(random, name);
  const policies = Array.from({ length: 3 }, () => somePolicy(random));
  const bounds = random.chance(0.3) ? someBounds(random) : undefined;
  let mode = someMode(random);
  return {
    ...decisions,
    name,
    steps: (decisions["steps"] as readonly Members[]).map((step) => {
      if (random.chance(0.1)) mode = someMode(random);
      return {
        ...step,
        more: {
          ...(mode === undefined ? {} : { mode }),
          failurePolicies: policies,
          ...(bounds === undefined ? {} : { schedule: random.chance(0.7) ? bounds : {} }),
        },
        ...(random.chance(0.06) ? { isTakenOver: true } : {}),
        ...(random.chance(0.05) ? { clockJumpMs: random.int(-3_600_000, 3_600_000) } : {}),
        ...(random.chance(0.3) ? { isUncertain: true } : {}),
      };
    }),
  };
}

function someMode(random: Random): string | undefined {
  return random.weighted<string | undefined>([
    [6, undefined],
    [1, "Active"],
    [2, "Shadow"],
    [1, "Paused"],
  ]);
}

function somePolicy(random: Random): Members {
  return random.weighted<Members>([
    [2, { policy: "Block" }],
    [3, { policy: "HoldLast", forSeconds: random.pick([1, 30, 60, 600]) }],
    [2, { policy: "Ignore" }],
    [2, { policy: "Assume", value: random.pick(["0", "10", "250m", 7]) }],
    [3, { policy: "Fallback", replicas: random.int(1, 20) }],
  ]);
}

function someBounds(random: Random): Members {
  const floor = random.int(0, 12);
  return random.chance(0.5) ? { floor } : { floor, ceiling: floor + random.int(0, 6) };
}
