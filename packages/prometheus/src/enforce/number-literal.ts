// Reads numbers and durations of PromQL.
import { DurationError, parsePrometheusDuration } from "../duration.ts";

const NUMBER =
  /^(?<sign>[-+]?)(?<amount>0x[0-9a-fA-F]+|(?:\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+)?|inf|nan)$/i;

/** A number in the form that every server reads. */
export interface NumberLiteral {
  /** Without blanks, comments and underscores. */
  readonly text: string;
  /** A duration counts in seconds. */
  readonly value: number;
}

/** Undefined when it is neither a number nor a duration. */
export function readNumberLiteral(literal: string): NumberLiteral | undefined {
  const text = literal.replaceAll(/#[^\n]*/g, "").replaceAll(/[ \t\r\n]+/g, "");
  const { sign = "", amount = "" } = NUMBER.exec(text)?.groups ?? {};
  if (amount !== "") return { text: text.replaceAll("_", ""), value: withSign(sign, amountOf(amount)) };
  try {
    const [, durationSign = "", duration = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
    return { text, value: withSign(durationSign, parsePrometheusDuration(duration) / 1000) };
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

function amountOf(amount: string): number {
  if (/^inf$/i.test(amount)) return Number.POSITIVE_INFINITY;
  // Go reads a leading zero as octal where it can.
  if (/^0[0-7]+$/.test(amount)) return Number.parseInt(amount, 8);
  return Number(amount.replaceAll("_", ""));
}

function withSign(sign: string, amount: number): number {
  return sign === "-" ? -amount : amount;
}
