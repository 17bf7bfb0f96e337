// Splits the text of a quantity into sign, digits and suffix.
import type { QuantityFormat } from "./quantity.ts";

/** The pieces of a quantity's text. */
export interface ScannedQuantity {
  readonly isNegative: boolean;
  /** Sign, digits and dot as written. */
  readonly number: string;
  /** Digits before the dot without leading zeros, at least "0". */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

const shape = /^([+-]?)(0*)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[+-]?\d*)$/;

/** @upstream apimachinery/pkg/api/resource/quantity.go#parseQuantityString */
export function scanQuantity(text: string): ScannedQuantity | undefined {
  const match = shape.exec(text);
  if (match === null) return undefined;
  const [, sign = "", zeros = "", digits = "", fraction, suffix = ""] = match;
  const isNegative = sign === "-";
  if (digits === "" && fraction === undefined && suffix === "")
    return { isNegative, number: "0", whole: "0", fraction: "", suffix };
  const number = `${sign}${zeros}${digits}${fraction === undefined ? "" : `.${fraction}`}`;
  return { isNegative, number, whole: digits === "" ? "0" : digits, fraction: fraction ?? "", suffix };
}

export interface SuffixMeaning {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** Suffixes of 10^-9, 10^-6 … 10^18, and of 2^10, 2^20 … 2^60. */
const decimals = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binaries = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** @upstream apimachinery/pkg/api/resource/suffix.go#suffixHandler.interpret */
export function suffixMeaning(suffix: string): SuffixMeaning | undefined {
  const decimal = decimals.indexOf(suffix);
  if (decimal >= 0) return { base: 10, exponent: 3 * decimal - 9, format: "DecimalSI" };
  const binary = binaries.indexOf(suffix);
  if (binary >= 0) return { base: 2, exponent: 10 * binary + 10, format: "BinarySI" };
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined;
  const exponent = BigInt(suffix.slice(suffix[1] === "+" ? 2 : 1));
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined;
  // Upstream keeps the low 32 bits.
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: "DecimalExponent" };
}

/** The suffix of 10^exponent; empty where there is none, as upstream prints it. */
export function decimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  return decimals[exponent / 3 + 3] ?? "";
}

/** The suffix of 2^exponent. */
export function binarySuffix(exponent: number): string {
  return binaries[exponent / 10 - 1] ?? "";
}
