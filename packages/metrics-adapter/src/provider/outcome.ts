import { parseSelector, type Selector, SelectorError } from "@plimsoll/kube";
import { createMemo } from "../memo.ts";
import type { Again } from "./again.ts";
import type { Outcome, ProviderFailure } from "./provider.ts";

export function ok<T>(value: T, again?: Again): Outcome<T> {
  return again === undefined ? { ok: true, value } : { ok: true, value, again };
}

type FailureDetails = Omit<ProviderFailure, "code" | "message">;

export function failed(
  code: ProviderFailure["code"],
  message: string,
  details: FailureDetails = {},
): { readonly ok: false; readonly failure: ProviderFailure } {
  return { ok: false, failure: { code, message, ...details } };
}

/** Autoscalers send the same few selectors again and again. */
const selectors = createMemo<undefined, Outcome<Selector>>({ most: 10_000 });

/**
 * A selector of a request; the parser's own words are what the client is told. The same text mostly gives the same
 * object.
 */
export function readSelector(text: string): Outcome<Selector> {
  return selectors.get(text, undefined, parse);
}

function parse(text: string): Outcome<Selector> {
  try {
    return ok(parseSelector(text));
  } catch (error) {
    if (error instanceof SelectorError) return failed("BadRequest", error.message);
    throw error;
  }
}
