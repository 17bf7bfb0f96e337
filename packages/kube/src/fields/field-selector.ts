// Parses and matches field selectors.
import { getOrAdd } from "@plimsoll/component-base";
import { SelectorError } from "@plimsoll/core/selector";

/** One condition on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A choice of objects by fields; which fields there are is up to the resource. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** `valueOf` gives "" for a field that is not set. */
  matches(valueOf: (field: string) => string): boolean;
  toString(): string;
}

/**
 * Reads "metadata.name=x,status.phase!=Failed"; "\" escapes ",", "=" and itself in values. Throws SelectorError.
 * @upstream apimachinery/pkg/fields/selector.go#ParseSelector
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements = splitTerms(text)
    .filter((term) => term !== "")
    .sort()
    .map((term) => {
      const found = /^(?<field>.*?)(?<operator>!=|==|=)(?<value>.*)$/s.exec(term)?.groups;
      if (found === undefined)
        throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const operator: "=" | "!=" = found["operator"] === "!=" ? "!=" : "=";
      return { field: found["field"] ?? "", operator, value: unescapeValue(found["value"] ?? "") };
    });
  const rules = rulesOf(requirements);
  const printed = requirements.map((r) => `${r.field}${r.operator}${escapeValue(r.value)}`).join(",");
  return {
    requirements,
    matches: (valueOf) => [...rules].every(([field, rule]) => admits(rule, valueOf(field))),
    toString: () => printed,
  };
}

/** What all requirements together demand of one field. */
interface FieldRule {
  readonly wanted: Set<string>;
  readonly unwanted: Set<string>;
}

/** One rule for each field, however many requirements there are: callers choose these. */
function rulesOf(requirements: readonly FieldRequirement[]): ReadonlyMap<string, FieldRule> {
  const rules = new Map<string, FieldRule>();
  for (const { field, operator, value } of requirements) {
    const rule = getOrAdd(rules, field, () => ({ wanted: new Set(), unwanted: new Set() }));
    (operator === "=" ? rule.wanted : rule.unwanted).add(value);
  }
  return rules;
}

function admits({ wanted, unwanted }: FieldRule, value: string): boolean {
  return !unwanted.has(value) && (wanted.size === 0 || (wanted.size === 1 && wanted.has(value)));
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") {
      at += 1;
    } else if (text.charAt(at) === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  let value = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "," || char === "=") {
      throw new SelectorError(
        `invalid field selector: unescaped character in value: ${String(char.charCodeAt(0))}`,
      );
    }
    if (char === "\\") {
      at += 1;
      const escaped = text.charAt(at);
      if (escaped !== "\\" && escaped !== "," && escaped !== "=")
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      value += escaped;
    } else {
      value += char;
    }
  }
  return value;
}

function escapeValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, (char) => `\\${char}`);
}
