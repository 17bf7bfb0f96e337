// Converts quantities to thousandths and to whole numbers, as upstream rounds.
import { pow10 } from "../number/go-float.ts";
import { maxInt64, minInt64 } from "../number/int64.ts";
import type { Quantity } from "./quantity.ts";

/** Thousandths, rounded away from zero; wraps at 64 bits where upstream's MilliValue() does. */
export function milliValue(quantity: Quantity): bigint {
  return scaledValue(quantity, -3);
}

/**
 * The same as releases from 1.38 on have it: the nearer end of 64 bits where they do not fit.
 *
 * @upstream apimachinery/pkg/api/resource/quantity.go#Quantity.AsScaledInt64
 */
export function saturatedMilli({ unscaled, exponent }: Quantity): bigint {
  const milli = roundedAway(unscaled, exponent + 3);
  if (milli > maxInt64) return maxInt64;
  return milli < minInt64 ? minInt64 : milli;
}

/** unscaled × 10^power; of very large powers only that they are large. */
function roundedAway(unscaled: bigint, power: number): bigint {
  if (power >= 0) return unscaled * 10n ** BigInt(Math.min(power, 40));
  const divisor = 10n ** BigInt(-power);
  const whole = unscaled / divisor;
  if (whole * divisor === unscaled) return whole;
  return unscaled > 0n ? whole + 1n : whole - 1n;
}

/** Whole units, rounded away from zero; upstream's Value(). */
export function value(quantity: Quantity): bigint {
  return scaledValue(quantity, 0);
}

function scaledValue(quantity: Quantity, target: number): bigint {
  return quantity.isWide ? wideScaled(quantity, target) : narrowScaled(quantity, target);
}

/** @upstream apimachinery/pkg/api/resource/amount.go#int64Amount.AsScaledInt64 */
function narrowScaled(quantity: Quantity, target: number): bigint {
  const { unscaled, exponent } = quantity;
  const power = exponent - target;
  const exact = roundedAway(unscaled, power);
  const wrapped = BigInt.asIntN(64, exact);
  // For other powers upstream multiplies step by step and gives up at the first overflow.
  const wraps = power <= 3 || power === 6 || power === 9;
  return wrapped === exact || wraps ? wrapped : 0n;
}

/** @upstream apimachinery/pkg/api/resource/scale_int.go#scaledValue */
function wideScaled(quantity: Quantity, target: number): bigint {
  const { unscaled, exponent } = quantity;
  const difference = target - exponent;
  const low = BigInt.asIntN(64, unscaled);
  if (difference === 0) return low;
  if (difference < 0) {
    const power = -difference <= 18 ? 10n ** BigInt(-difference) : minInt64;
    return BigInt.asIntN(64, low * power);
  }
  if (unscaled < 9_223_372_036_854_775_807n && difference < 19) {
    const divisor = 10n ** BigInt(difference);
    const whole = low / divisor;
    return whole * divisor === low ? whole : whole + 1n;
  }
  if (unscaled === 0n) return 0n;
  const divisor = 10n ** BigInt(difference);
  let floor = unscaled / divisor;
  if (floor * divisor > unscaled) floor -= 1n;
  return BigInt.asIntN(64, floor * divisor === unscaled ? floor : floor + 1n);
}

/** −1, 0 or 1. */
export function signOf(quantity: Quantity): -1 | 0 | 1 {
  if (quantity.unscaled === 0n) return 0;
  return quantity.unscaled > 0n ? 1 : -1;
}

/** Compares amounts; formats do not matter. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.unscaled * 10n ** BigInt(a.exponent - exponent);
  const right = b.unscaled * 10n ** BigInt(b.exponent - exponent);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** @upstream apimachinery/pkg/api/resource/quantity.go#Quantity.Add */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format;
  if (!a.isWide && !b.isWide) {
    if (b.unscaled === 0n) return { ...a, format };
    if (a.unscaled === 0n) return { ...b, format, text: undefined };
  }
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.unscaled * 10n ** BigInt(a.exponent - exponent);
  const right = b.unscaled * 10n ** BigInt(b.exponent - exponent);
  const sum = left + right;
  const fits = [left, right, sum].every((part) => BigInt.asIntN(64, part) === part);
  return { unscaled: sum, exponent, isWide: a.isWide || b.isWide || !fits, format, text: undefined };
}

/** A float near the amount, computed in upstream's order: unscaled × 10^exponent. */
export function approximateFloat(quantity: Quantity): number {
  const base = Number(quantity.unscaled);
  return quantity.exponent === 0 ? base : base * pow10(quantity.exponent);
}
