// The field selector of a request.
import { SelectorError } from "@plimsoll/core/selector";
import { type FieldRequirement, parseFieldSelector } from "@plimsoll/kube";

export type FieldSelectorResult =
  | { readonly ok: true; readonly terms: readonly FieldRequirement[] }
  | { readonly ok: false; readonly message: string };

const fields = ["metadata.name", "metadata.namespace"];

/** The terms of a request's field selector, or why it is refused. */
export function readFieldSelector(text: string): FieldSelectorResult {
  try {
    const terms = parseFieldSelector(text).requirements;
    const unknown = terms.find(({ field }) => !fields.includes(field));
    if (unknown === undefined) return { ok: true, terms };
    const names = fields.map((field) => `"${field}"`).join(", ");
    return { ok: false, message: `"${unknown.field}" is not a known field selector: only ${names}` };
  } catch (error) {
    if (error instanceof SelectorError) return { ok: false, message: error.message };
    throw error;
  }
}
