import { parseFieldSelector, SelectorError } from "@plimsoll/kube";

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export type FieldSelectorResult =
  | { readonly ok: true; readonly terms: readonly FieldTerm[] }
  | { readonly ok: false; readonly message: string };

/** The terms of a request's field selector, or what the caller is told about it. */
export function readFieldSelector(text: string): FieldSelectorResult {
  try {
    return { ok: true, terms: parseFieldSelector(text).requirements };
  } catch (error) {
    if (error instanceof SelectorError) return { ok: false, message: error.message };
    throw error;
  }
}
