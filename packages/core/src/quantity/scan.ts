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
  if (digits === "" && fraction === undefined && suffix === "") {
    return { isNegative, number: "0", whole: "0", fraction: "", suffix };
  }
  const number = `${sign}${zeros}${digits}${fraction === undefined ? "" : `.${fraction}`}`;
  return { isNegative, number, whole: digits === "" ? "0" : digits, fraction: fraction ?? "", suffix };
}

export interface SuffixMeaning {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimal = (exponent: number): SuffixMeaning => ({ base: 10, exponent, format: "DecimalSI" });
const binary = (exponent: number): SuffixMeaning => ({ base: 2, exponent, format: "BinarySI" });

const suffixes: ReadonlyMap<string, SuffixMeaning> = new Map([
  ["n", decimal(-9)],
  ["u", decimal(-6)],
  ["m", decimal(-3)],
  ["", decimal(0)],
  ["k", decimal(3)],
  ["M", decimal(6)],
  ["G", decimal(9)],
  ["T", decimal(12)],
  ["P", decimal(15)],
  ["E", decimal(18)],
  ["Ki", binary(10)],
  ["Mi", binary(20)],
  ["Gi", binary(30)],
  ["Ti", binary(40)],
  ["Pi", binary(50)],
  ["Ei", binary(60)],
]);

/** @upstream apimachinery/pkg/api/resource/suffix.go#suffixHandler.interpret */
export function suffixMeaning(suffix: string): SuffixMeaning | undefined {
  const known = suffixes.get(suffix);
  if (known !== undefined) return known;
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined;
  const exponent = BigInt(suffix.slice(suffix[1] === "+" ? 2 : 1));
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined;
  // Upstream keeps the low 32 bits.
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: "DecimalExponent" };
}

const decimalSuffixes: ReadonlyMap<number, string> = new Map(
  [...suffixes].filter(([, m]) => m.base === 10).map(([text, m]) => [m.exponent, text]),
);
const binarySuffixes: ReadonlyMap<number, string> = new Map(
  [...suffixes].filter(([, m]) => m.base === 2).map(([text, m]) => [m.exponent, text]),
);

/** The suffix of 10^exponent; empty where there is none, as upstream prints it. */
export function decimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  return decimalSuffixes.get(exponent) ?? "";
}

/** The suffix of 2^exponent. */
export function binarySuffix(exponent: number): string {
  return binarySuffixes.get(exponent) ?? "";
}
