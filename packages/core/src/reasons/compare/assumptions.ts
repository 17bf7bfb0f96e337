// Finds the assumptions that, taken in another way, give the count of a status.
import { readOptions } from "../../decide/subject.ts";
import type { Decision } from "../../objects/decision.ts";
import type { ControllerOptions } from "../../objects/options.ts";
import { semanticsProfiles } from "../../objects/semantics.ts";
import { countedPass } from "../explain/metric-rows.ts";
import { metricsOf } from "../summary/step-of.ts";
import type { ExplainingAssumption } from "./types.ts";

/** Longer than what a cluster has in any of these flags. */
const longMs = 3_600_000;

/**
 * Options of the controller with which the rules give what the status says; `fits` decides with them. Each is tried by
 * itself.
 */
export function explainingAssumptions(
  given: Partial<ControllerOptions> | undefined,
  decision: Decision,
  fits: (options: Partial<ControllerOptions>) => boolean,
): readonly ExplainingAssumption[] {
  const options = readOptions(given);
  const fitsWith = (change: Partial<ControllerOptions>) => fits({ ...given, ...change });
  const periods = (
    [
      ["downscale-stabilization", "downscaleStabilizationMs"],
      ["cpu-initialization-period", "cpuInitializationPeriodMs"],
      ["initial-readiness-delay", "initialReadinessDelayMs"],
    ] as const
  ).flatMap(([about, field]) => {
    const assumed = options[field];
    const changed = (
      [
        ["<", 0],
        [">", longMs],
      ] as const
    ).find(([, ms]) => ms !== assumed && fitsWith({ [field]: ms }));
    return changed === undefined ? [] : [{ about, value: `${changed[0]} ${assumed / 1000}s` }];
  });
  const semantics = semanticsProfiles
    .filter((profile) => profile !== options.semantics && fitsWith({ semantics: profile }))
    .map((profile) => ({ about: "semantics", value: `= ${profile}` }));
  return [...tolerances(decision, options, fitsWith), ...periods, ...semantics];
}

/** The tolerances at which a metric of this decision changes sides. */
function tolerances(
  { trace }: Decision,
  { tolerance }: ControllerOptions,
  fitsWith: (change: Partial<ControllerOptions>) => boolean,
): readonly ExplainingAssumption[] {
  const distances = metricsOf(trace)
    .map((metric) => countedPass(metric)?.ratio)
    .filter((ratio) => typeof ratio === "number")
    .map((ratio) => Math.ceil(Math.abs(ratio - 1) * 1000 - 1e-6) / 1000)
    .toSorted((one, other) => one - other);
  const wider = distances.find((value) => value > tolerance && fitsWith({ tolerance: value }));
  if (wider !== undefined) return [{ about: "tolerance", value: `>= ${wider}` }];
  const narrower = distances
    .map((distance) => Math.max(0, distance - 0.001))
    .findLast((value) => value < tolerance && fitsWith({ tolerance: value }));
  return narrower === undefined ? [] : [{ about: "tolerance", value: `<= ${Number(narrower.toFixed(3))}` }];
}
