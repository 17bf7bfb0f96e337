/**
 * A Go int64. Held as a number while it is a safe integer, as a bigint otherwise, so that the common case
 * costs no allocation and the rare one loses no digit. Never build one by hand from a larger number.
 */
export type Int64 = number | bigint;

const safe = Number.MAX_SAFE_INTEGER;
const safeBig = BigInt(safe);

export const maxInt64 = 9_223_372_036_854_775_807n;
export const minInt64 = -9_223_372_036_854_775_808n;

/** Wraps to 64 bits as Go does. */
export function int64(value: bigint): Int64 {
  const wrapped = BigInt.asIntN(64, value);
  return wrapped <= safeBig && wrapped >= -safeBig ? Number(wrapped) : wrapped;
}

/** A sum of Int64 without bounds, held as one. */
export type Sum = number | bigint;

export function sum(a: Sum, b: Sum): Sum {
  if (typeof a === "number" && typeof b === "number") {
    const total = a + b;
    if (total <= safe && total >= -safe) return total;
  }
  const total = BigInt(a) + BigInt(b);
  return total <= safeBig && total >= -safeBig ? Number(total) : total;
}

/** What sums that wrap at each step come to. */
export function wrapSum(total: Sum): Int64 {
  return typeof total === "number" ? total : int64(total);
}

export function add(a: Int64, b: Int64): Int64 {
  return wrapSum(sum(a, b));
}

export function multiply(a: Int64, b: Int64): Int64 {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Adding zero turns -0 into 0.
    if (product <= safe && product >= -safe) return product + 0;
  }
  return int64(BigInt(a) * BigInt(b));
}

/** Truncates towards zero; `b` must not be zero. A quotient of two safe integers never rounds up to the next one. */
export function divide(a: Int64, b: Int64): Int64 {
  if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) + 0;
  return int64(BigInt(a) / BigInt(b));
}

export function toFloat(a: Int64): number {
  return Number(a);
}

/** Go's int32(int64): the low 32 bits. */
export function lowInt32(a: Int64): number {
  return typeof a === "number" ? a | 0 : Number(BigInt.asIntN(32, a));
}
