import { readResourceRules } from "./compile-resource-rules.ts";
import { readRule } from "./compile-rule.ts";
import { openDocument } from "./document.ts";
import type { Problem } from "./problem.ts";
import type { CompiledRules } from "./rules.ts";

export type LoadedRules =
  | { readonly ok: true; readonly rules: CompiledRules; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads prometheus-adapter's configuration. Reports every problem, not the first; what would load and then not
 * do what it seems to is a warning.
 */
export function loadRules(text: string, fileName: string): LoadedRules {
  const document = openDocument(text);
  // What is left of a text that is no YAML is not worth judging.
  if (document.problems.length > 0) return { ok: false, problems: inFileOrder(document.problems) };
  const fields = document.fields(document.root, ["rules", "externalRules", "resourceRules"]);
  const rules: CompiledRules = {
    source: fileName,
    custom: document.items(fields.rules).map((place) => readRule(document, place, "custom")),
    external: document.items(fields.externalRules).map((place) => readRule(document, place, "external")),
    resource: readResourceRules(document, fields.resourceRules),
  };
  if (document.problems.length > 0) return { ok: false, problems: inFileOrder(document.problems) };
  return { ok: true, rules, warnings: inFileOrder(document.warnings) };
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
}
