import type { HpaBehavior, ScalingRules } from "../../objects/hpa.ts";
import type { Semantics } from "../../objects/semantics.ts";
import { approximateFloat } from "../../values/quantity/convert.ts";
import { quantityOf } from "../../values/quantity/milli.ts";

/** Fractions by which a ratio may lie below and above 1 without any change. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#tolerancesForHpa */
export function tolerancesFor(
  behavior: HpaBehavior | undefined,
  tolerance: number,
  semantics: Semantics,
): Tolerances {
  if (!semantics.hasPerHpaTolerance) return { down: tolerance, up: tolerance };
  return {
    down: ruleTolerance(behavior?.scaleDown, tolerance),
    up: ruleTolerance(behavior?.scaleUp, tolerance),
  };
}

function ruleTolerance(rules: ScalingRules | undefined, fallback: number): number {
  const quantity = quantityOf(rules?.tolerance);
  return quantity === undefined ? fallback : approximateFloat(quantity);
}

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#Tolerances.isWithin */
export function isWithin(tolerances: Tolerances, ratio: number, semantics: Semantics): boolean {
  if (semantics.toleranceTest === "absolute") return Math.abs(1.0 - ratio) <= tolerances.up;
  return 1.0 - tolerances.down <= ratio && ratio <= 1.0 + tolerances.up;
}
