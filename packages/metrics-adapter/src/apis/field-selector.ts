/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export type FieldSelectorResult =
  | { readonly ok: true; readonly terms: readonly FieldTerm[] }
  | { readonly ok: false; readonly message: string };

/** @upstream staging/src/k8s.io/apimachinery/pkg/fields/selector.go#ParseSelector */
export function parseFieldSelector(text: string): FieldSelectorResult {
  const terms: FieldTerm[] = [];
  for (const part of text.split(",")) {
    if (part === "") {
      continue;
    }
    const match = /^([^=!]+)(!=|==|=)(.*)$/s.exec(part);
    const [, field, operator, value] = match ?? [];
    if (field === undefined || value === undefined) {
      return { ok: false, message: `invalid selector: '${part}'; can't understand '${part}'` };
    }
    terms.push({ field, operator: operator === "!=" ? "!=" : "=", value });
  }
  return { ok: true, terms };
}
