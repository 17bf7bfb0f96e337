// The form of a quantity: an exact amount and how it is printed.

/** How a quantity prints: decimal or binary suffixes, or an exponent. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An exact amount, `unscaled × 10^exponent`. Make one with `parseQuantity` or `quantityOfMilli`. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  /** Upstream keeps it in arbitrary precision, whose conversions wrap and round differently. */
  readonly isWide: boolean;
  readonly format: QuantityFormat;
  /** Text that upstream prints back unchanged. */
  readonly text: string | undefined;
}

/** The text is not a quantity; `message` says which of upstream's three complaints applies. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

/** A quantity of `milli` thousandths. */
export function quantityOfMilli(milli: bigint, format: QuantityFormat = "DecimalSI"): Quantity {
  return { unscaled: BigInt.asIntN(64, milli), exponent: -3, isWide: false, format, text: undefined };
}
