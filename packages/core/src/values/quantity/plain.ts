// Quantities as people read them.
import { formatQuantity } from "./format.ts";
import { quantityOf } from "./milli.ts";

/** "90500m" is 90.5. */
export function plainQuantity(quantity: string): string {
  const [, milli] = /^(-?\d+)m$/.exec(quantity) ?? [];
  return milli === undefined ? quantity : String(Number(milli) / 1000);
}

const mebibyte = 1_048_576;

const decimals: Readonly<Record<string, number>> = { m: 0.001, "": 1, k: 1e3, M: 1e6, G: 1e9 };

/** Bytes in Mi, to a tenth: "524300000" is 500Mi. Below 1Mi, and with a suffix such as Gi, the text stays. */
export function plainBytes(text: string): string {
  const [, digits = "0", suffix = ""] = /^(-?\d+)([mkMG]?)$/.exec(text) ?? [];
  const bytes = Number(digits) * (decimals[suffix] ?? 1);
  return Math.abs(bytes) < mebibyte ? text : `${Math.round((bytes / mebibyte) * 10) / 10}Mi`;
}

/** As the API server would write it back: "1000" is "1k". A text that is not a quantity stays as it is. */
export function canonicalQuantity(text: string): string {
  const quantity = quantityOf(text);
  return quantity === undefined ? text : formatQuantity(quantity);
}
