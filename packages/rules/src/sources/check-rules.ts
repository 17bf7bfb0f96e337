// Checks rules against the sources that there are.
import type { CompiledRules } from "../compile/compiled-rules.ts";
import type { Problem } from "../document/problem.ts";
import { defaultSource, type SourceConfig } from "./source-config.ts";

/** What of a source matters to the rules that use it. */
export type UsableSource = Pick<SourceConfig, "name" | "namespaces"> &
  Partial<Pick<SourceConfig, "tenantHeaders">>;

/** Rules that name a source which there is not, or which cannot serve them. */
export function checkSources(rules: CompiledRules, sources: readonly UsableSource[]): readonly Problem[] {
  const byName = new Map(sources.map((source) => [source.name, source]));
  const problems: Problem[] = [];
  const uses = [...rules.sourceUses, ...usesOfDefault(rules)];
  for (const { name, path, line, column, kind } of uses) {
    const source = byName.get(name);
    const problem = (message: string): void => void problems.push({ path, line, column, message });
    if (source === undefined) {
      const names = [...byName.keys()].join(", ");
      problem(`there is no source ${JSON.stringify(name)}: use one of ${names}`);
    } else if ((source.tenantHeaders ?? []).length > 0) {
      const message = `the source ${name} has a tenant for each namespace, so that its series cannot be listed`;
      problem(`${message}: use another source, or MetricRules`);
    } else if (kind === "resource" && source.namespaces !== undefined) {
      const message = `the source ${name} serves some namespaces only, and resourceRules are for all`;
      problem(`${message}: use another source`);
    }
  }
  return problems;
}

/** Rules that name no source: one of each kind, because they have the same one. */
function usesOfDefault(rules: CompiledRules): CompiledRules["sourceUses"] {
  const place = { name: defaultSource, line: 1, column: 1 };
  const isDefault = ({ source, live }: Partial<CompiledRules["custom"][number]>): boolean =>
    source === undefined && live === undefined;
  return [
    ...(rules.custom.some(isDefault) ? [{ ...place, kind: "custom" as const, path: "rules" }] : []),
    ...(rules.external.some(isDefault)
      ? [{ ...place, kind: "external" as const, path: "externalRules" }]
      : []),
    ...(rules.resource !== undefined && isDefault(rules.resource)
      ? [{ ...place, kind: "resource" as const, path: "resourceRules" }]
      : []),
  ];
}

/** The source that a rule uses. */
export function sourceOf({ source }: { readonly source: string | undefined }): string {
  return source ?? defaultSource;
}

/** The sources that rules can name: those of a file, and that of the flags where the file has no default. */
export function usableSources(configs: readonly SourceConfig[]): readonly UsableSource[] {
  const hasDefault = configs.some(({ name }) => name === defaultSource);
  return hasDefault ? configs : [{ name: defaultSource, namespaces: undefined }, ...configs];
}

/** Those of the rules that use a source. */
export function rulesOfSource(rules: CompiledRules, name: string): CompiledRules {
  const uses = (rule: { readonly source: string | undefined }): boolean => sourceOf(rule) === name;
  const { custom, external, resource } = rules;
  return {
    ...rules,
    custom: custom.filter(uses),
    external: external.filter(uses),
    resource: resource !== undefined && uses(resource) ? resource : undefined,
  };
}

/** Whether requests of a namespace may use a source. */
export function createNamespaceCheck(
  patterns: readonly string[] | undefined,
): (namespace: string) => boolean {
  if (patterns === undefined) return () => true;
  return (namespace) => patterns.some((pattern) => matchesGlob(pattern, namespace));
}

/** Whether "*" of the pattern can match parts of the text. In time of both lengths multiplied: callers choose the text. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let patternAt = 0;
  /** Where the last "*" is, and how much of the text it takes so far. */
  let star = -1;
  let taken = 0;
  while (at < text.length) {
    if (pattern[patternAt] === "*") {
      star = patternAt;
      taken = at;
      patternAt += 1;
    } else if (pattern[patternAt] === text[at]) {
      patternAt += 1;
      at += 1;
    } else if (star >= 0) {
      taken += 1;
      at = taken;
      patternAt = star + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(patternAt));
}
