import type { Random } from "../random.ts";
import type { Timing } from "./pod.ts";

/** The controller's flags and gates, as `options` of a vector holds them. */
export interface Options {
  readonly tolerance?: number;
  readonly cpuInitializationPeriodSeconds?: number;
  readonly initialReadinessDelaySeconds?: number;
  readonly downscaleStabilizationSeconds?: number;
  readonly scaleToZero?: boolean;
}

export function someOptions(random: Random): Options | undefined {
  if (random.chance(0.6)) return undefined;
  return {
    ...(random.chance(0.4) ? { tolerance: random.pick([0, 0.01, 0.05, 0.1, 0.2, 0.333, 1, 1.5]) } : {}),
    ...(random.chance(0.4) ? { cpuInitializationPeriodSeconds: random.pick([0, 30, 60, 120, 300]) } : {}),
    ...(random.chance(0.4) ? { initialReadinessDelaySeconds: random.pick([0, 10, 30, 60]) } : {}),
    ...(random.chance(0.5) ? { downscaleStabilizationSeconds: random.pick([0, 15, 30, 60, 300, 7.5]) } : {}),
    ...(random.chance(0.3) ? { scaleToZero: random.chance(0.5) } : {}),
  };
}

export function timingOf(options: Options | undefined, nowMs: number): Timing {
  return {
    nowMs,
    initializationMs: (options?.cpuInitializationPeriodSeconds ?? 300) * 1000,
    readinessDelayMs: (options?.initialReadinessDelaySeconds ?? 30) * 1000,
  };
}
