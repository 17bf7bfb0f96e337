// Go conversions of floats to integers.
import { type Int64, int64, minInt64 } from "./int64.ts";

export const maxInt32 = 2_147_483_647;
export const minInt32 = -2_147_483_648;

/** Go's int32(float64) on amd64: truncates, and gives the lowest value when out of range or NaN. */
export function int32OfFloat(value: number): number {
  return value > -2_147_483_649 && value < 2_147_483_648 ? Math.trunc(value) + 0 : minInt32;
}

/**
 * Rounds up; above the range the highest value where it saturates. Below it both ways give the lowest.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#ceilToInt32
 */
export function ceilToInt32(value: number, saturates: boolean): number {
  const whole = Math.ceil(value);
  return saturates && whole > maxInt32 ? maxInt32 : int32OfFloat(whole);
}

/** Go's int64(float64) on amd64. */
export function int64OfFloat(value: number): Int64 {
  if (Number.isSafeInteger(value)) return value + 0;
  if (value >= -9_223_372_036_854_775_808 && value < 9_223_372_036_854_775_808)
    return int64(BigInt(Math.trunc(value)));
  return minInt64;
}

/** Reads untrusted data as an int32; anything that is not a finite number gives `fallback`. */
export function int32From(value: unknown, fallback: number): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return fallback;
  return Math.max(minInt32, Math.min(maxInt32, Math.trunc(value))) + 0;
}

// Go's math.Pow10 reaches these through exact tables and one division, so negative powers round alike.
export function pow10(exponent: number): number {
  if (exponent < -323) return 0;
  if (exponent > 308) return Infinity;
  if (exponent < 0 && exponent >= -22) return 1 / Number(`1e${-exponent}`);
  return Number(`1e${exponent}`);
}
