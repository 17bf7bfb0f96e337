// Quantities as numbers, and numbers as quantities.
import { approximateFloat, fromMilli, parseQuantity, QuantityError } from "@plimsoll/core/quantity";

/** About the amount of a quantity; undefined for what is none. */
export function amountOf(quantity: unknown): number | undefined {
  if (typeof quantity === "number") return Number.isFinite(quantity) ? quantity : undefined;
  if (typeof quantity !== "string") return undefined;
  try {
    return approximateFloat(parseQuantity(quantity.trim()));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** As a quantity: "1500m", or for memory "1536Mi". */
export function printAmount(amount: number, resource = ""): string {
  const isBytes = /memory|storage/.test(resource);
  const whole = isBytes ? Math.round(amount / 1_048_576) * 1_048_576 : amount;
  return fromMilli(BigInt(Math.round(whole * 1000)), isBytes ? "BinarySI" : "DecimalSI");
}

/** "34%". */
export function printShare(share: number): string {
  return `${Math.round(share * 100)}%`;
}
