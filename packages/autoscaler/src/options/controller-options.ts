import type { ControllerOptions } from "@plimsoll/core";
import type { AutoscalerConfig } from "./config.ts";

/** The options of every decision, from the flags. */
export function controllerOptions(config: AutoscalerConfig): ControllerOptions {
  return {
    tolerance: config.tolerance,
    cpuInitializationPeriodMs: config.cpuInitializationPeriodMs,
    initialReadinessDelayMs: config.initialReadinessDelayMs,
    downscaleStabilizationMs: config.downscaleStabilizationMs,
    upscaleForbiddenWindowMs: config.upscaleDelayMs,
    downscaleForbiddenWindowMs: config.downscaleDelayMs,
    scaleToZero: config.scaleToZero,
    semantics: config.semantics,
  };
}
