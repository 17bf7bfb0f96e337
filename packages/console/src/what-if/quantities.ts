// Quantities as whole thousandths, where a text is one.
import { milliValue, parseQuantity, QuantityError } from "@plimsoll/core/quantity";

/** Undefined: the text is not a quantity. */
export function milliOf(text: string | undefined): bigint | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  try {
    return milliValue(parseQuantity(text.trim()));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** Such as 270 or 1360m. */
export function milliText(milli: bigint): string {
  return milli % 1000n === 0n ? String(milli / 1000n) : `${milli}m`;
}
