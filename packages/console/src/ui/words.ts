// Words, ages and numbers as the page shows them.
import type { HeldBy, JsonFloat, SummaryState, Verdict } from "@plimsoll/core";
import { showRatio } from "@plimsoll/core/internal/values";

/** What a state is called, with the sign beside it: never color alone. */
export const stateWords: Readonly<
  Record<SummaryState, { readonly sign: string; readonly one: string; readonly of: string }>
> = {
  steady: { sign: "•", one: "steady", of: "steady" },
  moving: { sign: "▲", one: "moving", of: "moving" },
  held: { sign: "‖", one: "held", of: "held" },
  limited: { sign: "◆", one: "at a limit", of: "at a limit" },
  failed: { sign: "✕", one: "failed", of: "without metrics" },
  disabled: { sign: "○", one: "off", of: "off" },
};

/** The step that holds the replicas, in a word or two. */
export function heldWord(heldBy: HeldBy): string {
  return heldBy === "disabled" ? "off" : heldBy;
}

export const verdictWords: Readonly<Record<Verdict, string>> = {
  agrees: "agrees",
  moved: "agrees, on other values",
  lagging: "its status lags",
  differs: "differs",
  "not-comparable": "cannot be compared",
};

/** The time of day in UTC, as explanations have it. */
export function clockText(at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "?" : date.toISOString().slice(11, 19);
}

/** The trace has all decimals. */
export function ratioText(ratio: JsonFloat | null | undefined): string {
  return ratio === null || ratio === undefined ? "—" : showRatio(ratio);
}

/** With a thin gap between thousands. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : nouns}`;
}
