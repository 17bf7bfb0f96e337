// Generates random quantities, most of them near the edges of their arithmetic.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";

const suffixes = [
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
] as const;

/** Numbers around which the arithmetic changes its form: 2^53, 2^63, 10^18, MaxInt64/1000. */
const landmarks = [
  "9007199254740991",
  "9007199254740993",
  "9223372036854775",
  "9223372036854776",
  "9223372036854775807",
  "9223372036854775808",
  "1000000000000000000",
  "999999999999999999",
  "1099511627776",
  "4503599627370497",
  "0",
  "1",
  "1024",
  "1000",
] as const;

const oddities = [
  "",
  " ",
  "-",
  "+",
  ".",
  "m",
  "Ki",
  "e3",
  "E",
  "1e",
  "1E+",
  "1e-",
  "--1",
  "+-1",
  "1.2.3",
  "0x10",
  "1_000",
  "1,5",
  "NaN",
  "Infinity",
  "1 Gi",
  " 1",
  "1 ",
  "1K",
  "1mi",
  "1ki",
  "1KI",
  "1i",
  "1kk",
  "1Mm",
  "١",
  "1µ",
  "0",
  "00",
  "-0",
  "+0",
  "0.0",
  "-0m",
  "0Ki",
  "0e5",
  ".5",
  "5.",
  "-.5Gi",
  "5.Mi",
] as const;

export function quantityCase(random: Random, name: string): VectorCase {
  const input = random.weighted([
    [70, wellFormed],
    [14, landmark],
    [10, damaged],
    [6, odd],
  ])(random);
  return { name, input: hasHugeExponent(input) ? "1e99" : input };
}

/** Upstream writes such a number out in full, which takes it minutes. */
export function hasHugeExponent(text: string): boolean {
  return /[eE][+-]?\d{4,}/.test(text);
}

/** Any text of the grammar, canonical or not. */
function wellFormed(random: Random): string {
  const sign = random.weighted([
    [80, ""],
    [12, "-"],
    [8, "+"],
  ]);
  const zeros = random.chance(0.1) ? "0".repeat(random.int(1, 3)) : "";
  const whole = random.chance(0.06) ? "" : zeros + wholeDigits(random);
  const fraction = random.chance(0.35) ? `.${fractionDigits(random)}` : "";
  return sign + (whole + fraction === "" ? "0" : whole + fraction) + suffix(random);
}

function wholeDigits(random: Random): string {
  const count = random.weighted([
    [60, random.int(1, 5)],
    [25, random.int(6, 15)],
    [15, random.int(16, 26)],
  ]);
  const trailing = random.chance(0.3) ? "0".repeat(random.int(1, 4)) : "";
  return random.digits(count) + trailing;
}

function fractionDigits(random: Random): string {
  const leading = random.chance(0.3) ? "0".repeat(random.int(1, 10)) : "";
  return leading + random.digits(random.int(0, 12)) + (random.chance(0.2) ? "00" : "");
}

function suffix(random: Random): string {
  if (random.chance(0.85)) return random.pick(suffixes);
  const exponent = random.weighted([
    [80, random.int(0, 20)],
    [20, random.int(0, 60)],
  ]);
  return random.pick(["e", "E"]) + random.pick(["", "+", "-"]) + String(exponent);
}

function landmark(random: Random): string {
  const near = BigInt(random.pick(landmarks)) + BigInt(random.int(-2, 2));
  return String(random.chance(0.2) ? -near : near) + random.pick(suffixes);
}

function damaged(random: Random): string {
  const text = wellFormed(random);
  const at = random.int(0, text.length);
  const inserted = random.pick([" ", ".", "-", "+", "e", "E", "i", "k", "x", "m", "K", "\u00a0", "_"]);
  return random.chance(0.6)
    ? text.slice(0, at) + inserted + text.slice(at)
    : text.slice(0, at) + text.slice(at + 1);
}

function odd(random: Random): string {
  return random.pick(oddities);
}
