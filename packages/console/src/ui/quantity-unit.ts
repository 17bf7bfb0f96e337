// Quantities as a reader compares them: in one unit, and none in thousandths but processors.
import { amountOf } from "./amount.ts";

/** How the quantities of one metric are written. */
export type QuantityUnit = ReturnType<typeof unitFor>;

export type QuantityKind = "cpu" | "bytes" | "number";

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal = ["", "k", "M", "G", "T", "P", "E"];
/** Up to so many a number is written out. */
const maxPlain = 10_000;
/** Fewer of a unit are written in the smaller one. */
const minOfUnit = 10;
const digits = 5;
const maxMillicores = 100;

/** The unit in which quantities that are compared with each other stand. */
export function unitFor(quantities: readonly (string | undefined)[], kind: QuantityKind) {
  const amounts = quantities.flatMap((text) => {
    const amount = text === undefined ? null : amountOf(text);
    return amount === null || amount === 0 ? [] : [Math.abs(amount)];
  });
  const [factor, suffix] = scaleFor(amounts, kind);
  const ofAmount = (amount: number): string => `${shortNumber(amount / factor)}${suffix}`;
  return {
    ofAmount,
    /** Near enough to read; what is not a quantity stays as it is. */
    text(quantity: string): string {
      const amount = amountOf(quantity);
      return amount === null ? quantity : ofAmount(amount);
    },
  };
}

/** By the smallest, so that none becomes a tiny fraction. */
function scaleFor(amounts: readonly number[], kind: QuantityKind): readonly [factor: number, suffix: string] {
  const least = amounts.length === 0 ? 0 : Math.min(...amounts);
  if (kind === "cpu") {
    const isWhole = amounts.every((amount) => Number.isInteger(amount));
    return isWhole || Math.max(...amounts) >= maxMillicores ? [1, ""] : [1e-3, "m"];
  }
  const [base, suffixes] = kind === "bytes" ? [1024, binary] : [1000, decimal];
  const fits = (power: number): boolean => least >= minOfUnit * base ** power;
  const power = kind === "number" && least < maxPlain ? 0 : suffixes.findLastIndex((_, index) => fits(index));
  const found = Math.max(0, power);
  return [base ** found, suffixes[found] ?? ""];
}

function shortNumber(value: number): string {
  const isLong = Math.abs(value) >= 10 ** digits;
  return String(isLong ? Math.round(value) : Number(value.toPrecision(digits)));
}

const bytes = /^(?:memory|storage|ephemeral-storage|hugepages-.*)$/;

/** Of the resource, or of how a quantity of it is written. */
export function kindOf(
  resource: string | undefined,
  quantities: readonly (string | undefined)[],
): QuantityKind {
  if (resource === "cpu") return "cpu";
  const isBytes = quantities.some((text) => text !== undefined && /\d[KMGTPE]i$/.test(text));
  return isBytes || (resource !== undefined && bytes.test(resource)) ? "bytes" : "number";
}
