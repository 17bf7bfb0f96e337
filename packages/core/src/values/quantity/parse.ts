// Parses Kubernetes quantities.
import { maxInt64 } from "../number/int64.ts";
import { type Quantity, QuantityError } from "./quantity.ts";
import { type ScannedQuantity, type SuffixMeaning, scanQuantity, suffixMeaning } from "./scan.ts";

const formatWrong =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericWrong = "unable to parse numeric part of quantity";
const suffixWrong = "unable to parse quantity's suffix";

/** Exponents and texts beyond these are refused: the cost of exact numbers grows with the square of their digits. */
const absurdExponent = 1_000;
const absurdLength = 1_000;

/**
 * Reads a Kubernetes quantity such as "250m", "1.5Gi" or "2e3".
 *
 * @throws QuantityError when the text is not a quantity, is longer than 1000 characters, or its exponent is past ±1000.
 * @upstream apimachinery/pkg/api/resource/quantity.go#ParseQuantity
 */
export function parseQuantity(text: string): Quantity {
  if (typeof text !== "string" || text === "") throw new QuantityError(formatWrong);
  if (text === "0") return { unscaled: 0n, exponent: 0, isWide: false, format: "DecimalSI", text };
  if (text.length > absurdLength) throw new QuantityError(numericWrong);
  const scanned = scanQuantity(text);
  if (scanned === undefined) throw new QuantityError(formatWrong);
  const suffix = suffixMeaning(scanned.suffix);
  if (suffix === undefined) throw new QuantityError(suffixWrong);
  if (Math.abs(suffix.exponent) > absurdExponent && /[1-9]/.test(scanned.number))
    throw new QuantityError(numericWrong);
  return parseNarrow(text, scanned, suffix) ?? parseWide(scanned, suffix);
}

/** Upstream's int64 form; undefined where it would not fit. */
function parseNarrow(text: string, scanned: ScannedQuantity, suffix: SuffixMeaning): Quantity | undefined {
  const { whole, fraction } = scanned;
  let exponent = 0;
  let factor = 1n;
  if (suffix.base === 10) {
    if (18 - whole.length - fraction.length < 0) return undefined;
    exponent = suffix.exponent;
  } else {
    if (fraction !== "" || 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1 < 0)
      return undefined;
    factor = 1n << BigInt(suffix.exponent);
  }
  exponent -= fraction.length;
  if (exponent < -9) return undefined;
  const shifted = whole + fraction;
  const value = BigInt(shifted);
  const product = value * factor;
  const unscaled = scanned.isNegative ? -product : product;
  if (unscaled === 0n) exponent = 0;
  const isCanonical =
    suffix.base === 2
      ? suffix.exponent % 10 === 0 && (value & 7n) !== 0n
      : exponent % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
  return { unscaled, exponent, isWide: false, format: suffix.format, text: isCanonical ? text : undefined };
}

/** Upstream's arbitrary precision: rounded away from zero to nano, binary amounts capped at an int64. */
function parseWide(scanned: ScannedQuantity, suffix: SuffixMeaning): Quantity {
  if (!/\d/.test(scanned.number)) throw new QuantityError(numericWrong);
  const digits = BigInt(`${scanned.whole}${scanned.fraction}`);
  const exponent = (suffix.base === 10 ? suffix.exponent : 0) - scanned.fraction.length;
  const magnitude = suffix.base === 2 ? digits << BigInt(suffix.exponent) : digits;
  if (magnitude === 0n) return wide(0n, 0, scanned, suffix);
  const nanos = nanosRoundedUp(magnitude, exponent);
  if (suffix.base === 10) return wide(nanos, -9, scanned, suffix);
  if (nanos > maxInt64 * 1_000_000_000n) return wide(maxInt64, 0, scanned, suffix);
  const retagged: SuffixMeaning = nanos < 1_000_000_000n ? { ...suffix, format: "DecimalSI" } : suffix;
  return wide(nanos, -9, scanned, retagged);
}

function nanosRoundedUp(magnitude: bigint, exponent: number): bigint {
  if (exponent >= -9) return magnitude * 10n ** BigInt(exponent + 9);
  const divisor = 10n ** BigInt(-9 - exponent);
  const whole = magnitude / divisor;
  return whole * divisor === magnitude ? whole : whole + 1n;
}

function wide(unscaled: bigint, exponent: number, scanned: ScannedQuantity, suffix: SuffixMeaning): Quantity {
  const signed = scanned.isNegative ? -unscaled : unscaled;
  return { unscaled: signed, exponent, isWide: true, format: suffix.format, text: undefined };
}
