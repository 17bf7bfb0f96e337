import type { Int64 } from "../number/int64.ts";
import { type Quantity, type QuantityFormat, quantityOfMilli } from "./quantity.ts";
import { binarySuffix, decimalSuffix } from "./scan.ts";

/**
 * The text that upstream prints: canonical, except that some parsed texts come back unchanged.
 *
 * @upstream apimachinery/pkg/api/resource/quantity.go#Quantity.String
 */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return "0";
  if (quantity.format === "BinarySI") {
    const whole = wholeUnits(quantity);
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) return formatBinary(whole);
    return formatDecimal(quantity, "DecimalSI");
  }
  return formatDecimal(quantity, quantity.format);
}

/** Canonical text of `milli` thousandths. */
export function fromMilli(milli: bigint, format: QuantityFormat = "DecimalSI"): string {
  return formatQuantity(quantityOfMilli(milli, format));
}

/** `fromMilli` for the number form, without a detour over bigint. */
export function milliText(milli: Int64, format: QuantityFormat = "DecimalSI"): string {
  if (typeof milli === "bigint" || format !== "DecimalSI") return fromMilli(BigInt(milli), format);
  if (milli === 0) return "0";
  let amount = milli;
  let exponent = -3;
  while (amount % 1000 === 0) {
    amount /= 1000;
    exponent += 3;
  }
  return `${amount}${decimalSuffix(exponent, "DecimalSI")}`;
}

function formatDecimal(quantity: Quantity, format: QuantityFormat): string {
  let { unscaled: amount, exponent } = quantity;
  while (amount % 10n === 0n) {
    amount /= 10n;
    exponent += 1;
  }
  while (exponent % 3 !== 0) {
    amount *= 10n;
    exponent -= 1;
  }
  return `${amount}${decimalSuffix(exponent, format)}`;
}

function formatBinary(whole: bigint): string {
  let amount = whole;
  let exponent = 0;
  while (amount % 1024n === 0n) {
    amount /= 1024n;
    exponent += 10;
  }
  return `${amount}${binarySuffix(exponent)}`;
}

/** The amount in whole units, or undefined when it has a fraction. */
function wholeUnits(quantity: Quantity): bigint | undefined {
  if (quantity.exponent >= 0) return quantity.unscaled * 10n ** BigInt(quantity.exponent);
  const divisor = 10n ** BigInt(-quantity.exponent);
  const whole = quantity.unscaled / divisor;
  return whole * divisor === quantity.unscaled ? whole : undefined;
}
