import { parseSelector, type Selector, SelectorError } from "@plimsoll/kube";
import type { Outcome, ProviderFailure } from "./provider.ts";

export function ok<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

type FailureDetails = Omit<ProviderFailure, "code" | "message">;

export function failed(
  code: ProviderFailure["code"],
  message: string,
  details: FailureDetails = {},
): { readonly ok: false; readonly failure: ProviderFailure } {
  return { ok: false, failure: { code, message, ...details } };
}

/** A selector of a request; the parser's own words are what the client is told. */
export function readSelector(text: string): Outcome<Selector> {
  try {
    return ok(parseSelector(text));
  } catch (error) {
    if (error instanceof SelectorError) return failed("BadRequest", error.message);
    throw error;
  }
}
