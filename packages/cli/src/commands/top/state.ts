// What the screen of `top` shows, and how keys change it.

import { type SummaryRow, type SummarySort, summarySorts } from "@plimsoll/decisions";
import type { Key } from "./keys.ts";

export interface TopState {
  readonly mode: "list" | "filter" | "explain";
  /** Of the rows that are shown. */
  readonly selected: number;
  readonly filter: string;
  readonly sort: SummarySort;
  /** Of the explanation: lines above the screen. */
  readonly scroll: number;
}

/** What a key does beside changing the state. */
export type Effect = "explain" | "quit" | "interrupt";

export interface Pressed {
  readonly state: TopState;
  readonly effect?: Effect;
}

export const firstState = (sort: SummarySort): TopState => ({
  mode: "list",
  selected: 0,
  filter: "",
  sort,
  scroll: 0,
});

const page = 10;
const maxFilterLength = 100;
const moves: Readonly<Record<Key, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -page,
  pagedown: page,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

/** `length`: of the rows, or of the explanation. */
export function press(state: TopState, key: Key, length: number): Pressed {
  if (key === "ctrl+c") return { state, effect: "interrupt" };
  switch (state.mode) {
    case "filter":
      return { state: typed(state, key) };
    case "explain":
      return { state: inExplanation(state, key, length) };
    case "list":
      return inList(state, key, length);
  }
}

function inList(state: TopState, key: Key, length: number): Pressed {
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  if (move !== undefined) return { state: { ...state, selected: within(state.selected + move, length) } };
  switch (key) {
    case "q":
      return { state, effect: "quit" };
    case "/":
      return { state: { ...state, mode: "filter" } };
    case "escape":
      return { state: { ...state, filter: "", selected: 0 } };
    case "s":
      return { state: { ...state, sort: nextSort(state.sort), selected: 0 } };
    case "return":
      return length === 0
        ? { state }
        : { state: { ...state, mode: "explain", scroll: 0 }, effect: "explain" };
    default:
      return { state };
  }
}

function typed(state: TopState, key: Key): TopState {
  switch (key) {
    case "return":
      return { ...state, mode: "list" };
    case "escape":
      return { ...state, mode: "list", filter: "", selected: 0 };
    case "backspace":
      return { ...state, filter: state.filter.replace(/.$/su, ""), selected: 0 };
    default: {
      const isSign = /^.$/su.test(key) && state.filter.length < maxFilterLength;
      return isSign ? { ...state, filter: `${state.filter}${key}`, selected: 0 } : state;
    }
  }
}

function inExplanation(state: TopState, key: Key, length: number): TopState {
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  if (move !== undefined) return { ...state, scroll: within(state.scroll + move, length) };
  const isBack = key === "q" || key === "escape" || key === "return" || key === "backspace";
  return isBack ? { ...state, mode: "list" } : state;
}

function within(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}

function nextSort(sort: SummarySort): SummarySort {
  return summarySorts[(summarySorts.indexOf(sort) + 1) % summarySorts.length] ?? sort;
}

/** Those whose namespace, name or target has the text. */
export function filtered(rows: readonly SummaryRow[], filter: string): readonly SummaryRow[] {
  const wanted = filter.toLowerCase();
  if (wanted === "") return rows;
  return rows.filter(({ namespace, name, target }) =>
    `${namespace}/${name} ${target.kind}/${target.name}`.toLowerCase().includes(wanted),
  );
}
