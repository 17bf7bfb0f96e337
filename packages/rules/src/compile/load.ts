// Reads a rules file into compiled rules.
import { openDocument, type PromqlSyntax, type RulesDocument } from "../document/document.ts";
import type { Problem } from "../document/problem.ts";
import type { CompiledRules } from "./compiled-rules.ts";
import { readResourceRules } from "./resource-rules.ts";
import { readRule } from "./rule.ts";

/** The rules of a file, or every problem that stops it from loading. */
export type LoadedRules =
  | { readonly ok: true; readonly rules: CompiledRules; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/**
 * Reads prometheus-adapter's configuration. Reports every problem, not the first; what would load and then not
 * do what it seems to is a warning. With `syntax`, queries are parsed too, with sample values in their templates.
 */
export function loadRules(text: string, fileName: string, syntax?: PromqlSyntax): LoadedRules {
  const document = openDocument(text, syntax);
  // What is left of a text that is no YAML is not checked.
  if (document.problems.length > 0) return refused(document);
  const fields = document.fields(document.root, ["rules", "externalRules", "resourceRules"]);
  const rules = {
    source: fileName,
    custom: document.items(fields.rules).map((place) => readRule(document, place, "custom")),
    external: document.items(fields.externalRules).map((place) => readRule(document, place, "external")),
    resource: readResourceRules(document, fields.resourceRules),
  };
  const hasRules = rules.custom.length + rules.external.length > 0 || rules.resource !== undefined;
  if (!hasRules && document.problems.length === 0) {
    document.warn(
      document.root,
      "there are no rules, so no metric is served: add rules, externalRules or resourceRules",
    );
  }
  if (document.problems.length > 0) return refused(document);
  return {
    ok: true,
    rules: { ...rules, sourceUses: document.sourceUses },
    warnings: inFileOrder(document.warnings),
  };
}

function refused({ problems, warnings }: RulesDocument): LoadedRules {
  return { ok: false, problems: inFileOrder(problems), warnings: inFileOrder(warnings) };
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
}
