import { type Int64, int64 } from "../number/int64.ts";
import { milliValue, saturatedMilli } from "./convert.ts";
import { parseQuantity } from "./parse.ts";
import { type Quantity, QuantityError } from "./quantity.ts";

/** The rule that differs between releases. */
export interface QuantityRules {
  /** A quantity beyond 64 bits of thousandths counts as the nearer end; else as what is left of it, such as 0. */
  readonly saturatesQuantities: boolean;
}

/**
 * MilliValue() of a quantity's text, or undefined when it is none. Texts such as "250m", "1234567890" and
 * "512Mi" are read digit by digit without any allocation; all others take the exact path.
 */
export function milliOf(text: unknown, rules: QuantityRules): Int64 | undefined {
  if (typeof text === "string") {
    const fast = fastMilli(text);
    if (fast === fast) return fast;
  }
  const quantity = quantityOf(text);
  return quantity === undefined ? undefined : milliOfQuantity(quantity, rules);
}

export function milliOfQuantity(quantity: Quantity, { saturatesQuantities }: QuantityRules): Int64 {
  return int64(saturatesQuantities ? saturatedMilli(quantity) : milliValue(quantity));
}

/** Parses as the API's JSON decoder does, which trims blanks; undefined when it is not a quantity. */
export function quantityOf(text: unknown): Quantity | undefined {
  if (typeof text !== "string" && typeof text !== "number") return undefined;
  try {
    return parseQuantity(String(text).trim());
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** NaN when the text is not of the simple kind. Digit counts are bounded so that every product stays exact. */
function fastMilli(text: string): number {
  const end = text.length;
  let at = 0;
  let amount = 0;
  for (; at < end; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    amount = amount * 10 + digit;
  }
  if (at === 0 || at > 12) return NaN;
  const rest = end - at;
  if (rest === 0) return amount * 1000;
  const code = text.charCodeAt(at);
  if (rest === 1) return decimalMilli(amount, at, code);
  if (rest === 2 && text.charCodeAt(at + 1) === 105) return binaryMilli(amount, at, code);
  return NaN;
}

function decimalMilli(amount: number, digits: number, suffix: number): number {
  switch (suffix) {
    case 109: // m
      return amount;
    case 110: // n
      return Math.ceil(amount / 1_000_000);
    case 117: // u
      return Math.ceil(amount / 1000);
    case 107: // k
      return digits <= 9 ? amount * 1_000_000 : NaN;
    case 77: // M
      return digits <= 6 ? amount * 1_000_000_000 : NaN;
    case 71: // G
      return digits <= 3 ? amount * 1_000_000_000_000 : NaN;
    default:
      return NaN;
  }
}

function binaryMilli(amount: number, digits: number, suffix: number): number {
  switch (suffix) {
    case 75: // Ki
      return digits <= 9 ? amount * 1_024_000 : NaN;
    case 77: // Mi
      return digits <= 6 ? amount * 1_048_576_000 : NaN;
    case 71: // Gi
      return digits <= 3 ? amount * 1_073_741_824_000 : NaN;
    default:
      return NaN;
  }
}
