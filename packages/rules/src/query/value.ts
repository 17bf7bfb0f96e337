// Values of samples as quantities of Kubernetes.
import { fromMilli } from "@plimsoll/core/quantity";

/** The suffixes of a quantity: k, M, G, or Ki, Mi, Gi. */
export type ValueFormat = "DecimalSI" | "BinarySI";

const MAX_MILLI = 2n ** 63n - 1n;

/**
 * A sample's value as a quantity, in whole thousandths like upstream. Where that would leave nothing, the digits
 * down to 1e-9 are kept, and below that one nano: a small value is not zero. Values too large for 64 bits of
 * thousandths become the largest that fits. NaN and ±Inf are no quantities: undefined.
 */
export function quantityOf(value: number, format: ValueFormat = "DecimalSI"): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const milli = Math.trunc(value * 1000);
  if (milli === 0 && value !== 0) return tinyQuantity(value);
  if (Math.abs(value * 1000) >= 2 ** 63) return fromMilli(value > 0 ? MAX_MILLI : -MAX_MILLI, format);
  return fromMilli(BigInt(milli), format);
}

/** Of a value nearer to 0 than one thousandth. Works on its decimal digits, so that 0.0009 is 900u exactly. */
function tinyQuantity(value: number): string {
  const [digits = "0", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  const shift = Number(exponent) - fraction.length + 9;
  const all = `${whole}${fraction}`;
  const nano = shift >= 0 ? BigInt(all) * 10n ** BigInt(shift) : BigInt(all.slice(0, shift) || "0");
  const sign = value < 0 ? "-" : "";
  if (nano === 0n) return `${sign}1n`;
  return nano % 1000n === 0n ? `${sign}${nano / 1000n}u` : `${sign}${nano}n`;
}
