// Reads a rules file into compiled rules.

import { DurationError, parsePrometheusDuration } from "@plimsoll/prometheus";
import { openDocument, type Place, type PromqlSyntax, type RulesDocument } from "../document/document.ts";
import type { Problem } from "../document/problem.ts";
import type { CompiledResourceRule, CompiledResourceRules, CompiledRules } from "./compiled-rules.ts";
import { readQuery } from "./query.ts";
import { readResources } from "./resources.ts";
import { readRule } from "./rule.ts";

/** The rules of a file, or every problem that stops it from loading. */
export type LoadedRules =
  | { readonly ok: true; readonly rules: CompiledRules; readonly warnings: readonly Problem[] }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      readonly warnings: readonly Problem[];
      /** The rules without a problem; undefined when there are none, or more than rules is at fault. */
      readonly rest: CompiledRules | undefined;
    };

/**
 * Reads prometheus-adapter's configuration. Reports every problem, not the first; what would load and then not
 * do what it seems to is a warning. Queries are parsed as far as `syntax` does.
 */
export function loadRules(text: string, fileName: string, syntax: PromqlSyntax = {}): LoadedRules {
  const document = openDocument(text, syntax);
  // What is left of a text that is not YAML is not checked.
  if (document.problems.length > 0) return refused(document, undefined);
  const fields = document.fields(document.root, ["rules", "externalRules", "resourceRules"]);
  const custom = document.items(fields.rules).map((place) => readRule(document, place, "custom"));
  const external = document.items(fields.externalRules).map((place) => readRule(document, place, "external"));
  const resource = readResourceRules(document, fields.resourceRules);
  const rules = { source: fileName, custom, external, resource, sourceUses: document.sourceUses };
  if (!hasRules(rules) && document.problems.length === 0)
    document.warn(document.root, "no rules, so no metrics: add rules, externalRules, or resourceRules");
  if (document.problems.length > 0) return refused(document, rules);
  return { ok: true, rules, warnings: inFileOrder(document.warnings) };
}

function hasRules({ custom, external, resource }: CompiledRules): boolean {
  return custom.length + external.length > 0 || resource !== undefined;
}

function refused(
  { problems, warnings }: RulesDocument,
  rules: CompiledRules | undefined,
): LoadedRules & { ok: false } {
  return {
    ok: false,
    problems: inFileOrder(problems),
    warnings: inFileOrder(warnings),
    rest: rules && withoutProblems(rules, problems),
  };
}

/** The rules that have none of the problems; undefined when there are none, or a problem is in no rule. */
export function withoutProblems(
  rules: CompiledRules,
  problems: readonly Problem[],
): CompiledRules | undefined {
  const bad = new Set(
    problems.map(({ path }) => /^(?:(?:rules|externalRules)\[\d+\]|resourceRules)/.exec(path)?.[0]),
  );
  if (bad.has(undefined)) return undefined;
  const isGood = ({ path }: { readonly path: string }): boolean =>
    ![...bad].some((one) => path === one || path.startsWith(`${one}.`));
  const rest = {
    ...rules,
    custom: rules.custom.filter(isGood),
    external: rules.external.filter(isGood),
    resource: bad.has("resourceRules") ? undefined : rules.resource,
    sourceUses: rules.sourceUses.filter(isGood),
  };
  return hasRules(rest) ? rest : undefined;
}

function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Reads resourceRules; absent and null turn metrics.k8s.io off, an empty mapping does not. */
function readResourceRules(document: RulesDocument, place: Place): CompiledResourceRules | undefined {
  if (document.isAbsent(place)) return undefined;
  const fields = document.fields(place, ["cpu", "memory", "window", "source"]);
  return {
    source: document.source(fields.source, "resource"),
    cpu: readResourceRule(document, fields.cpu, place),
    memory: readResourceRule(document, fields.memory, place),
    windowMs: readWindow(document, fields.window, place),
  };
}

/** As a rule for memory has it; one for CPU has a rate. */
const usage = "container_memory_working_set_bytes";

function readResourceRule(document: RulesDocument, place: Place, owner: Place): CompiledResourceRule {
  const fields = document.fields(place, ["containerQuery", "nodeQuery", "resources", "containerLabel"]);
  const at = place.node === undefined ? owner : place;
  const containerLabel = document.text(fields.containerLabel);
  if (containerLabel === "") {
    document.warn(
      { path: fields.containerLabel.path, node: at.node },
      "containerLabel is missing: pods get one value, and their containers none; add the label that holds the container, such as container",
    );
  }
  return {
    path: place.path,
    containerQuery: readQuery(document, fields.containerQuery, at, usage),
    nodeQuery: readQuery(document, fields.nodeQuery, at, usage),
    resources: readResources(document, fields.resources).resources,
    containerLabel,
  };
}

function readWindow(document: RulesDocument, place: Place, owner: Place): number {
  const text = document.text(place);
  if (text === "") {
    document.warn(
      { path: place.path, node: owner.node },
      "window is missing: clients get 0 s; add the range of the queries, such as 3m",
    );
    return 0;
  }
  try {
    return parsePrometheusDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    document.problem(place, error.message);
    return 0;
  }
}
