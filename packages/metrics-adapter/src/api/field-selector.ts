import { SelectorError } from "@plimsoll/core/selector";
import { parseFieldSelector } from "@plimsoll/kube";

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export type FieldSelectorResult =
  | { readonly ok: true; readonly terms: readonly FieldTerm[] }
  | { readonly ok: false; readonly message: string };

/** The terms of a request's field selector, on these fields when given, or why it is refused. */
export function readFieldSelector(text: string, fields?: readonly string[]): FieldSelectorResult {
  try {
    const terms = parseFieldSelector(text).requirements;
    const unknown = terms.find(({ field }) => fields?.includes(field) === false);
    if (fields === undefined || unknown === undefined) return { ok: true, terms };
    const names = fields.map((field) => `"${field}"`).join(", ");
    return { ok: false, message: `"${unknown.field}" is not a known field selector: only ${names}` };
  } catch (error) {
    if (error instanceof SelectorError) return { ok: false, message: error.message };
    throw error;
  }
}
