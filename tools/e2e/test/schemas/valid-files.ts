// Files of the examples and pages that a JSON Schema and a reader have to take.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { parseAllDocuments } from "yaml";

const root = join(import.meta.dirname, "../../../..");

export interface ValidFile {
  /** The file and the position of the document. */
  readonly name: string;
  readonly value: unknown;
}

/** Documents of YAML files and of YAML blocks of pages that the test wants. */
export function documentsOf(
  patterns: readonly string[],
  isWanted: (value: unknown) => boolean,
): readonly ValidFile[] {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const sources = file.endsWith(".md")
      ? [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block)
      : [text];
    return sources
      .flatMap((source) => [...parseAllDocuments(source)])
      .filter(({ errors }) => errors.length === 0)
      .map((document, index) => ({ name: `${file} ${index + 1}`, value: document.toJS() as unknown }))
      .filter(({ value }) => isWanted(value));
  });
}

/** A schema of `deploy/schema`. */
export function schemaOf(name: string): ValidateFunction {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    formats: { "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i },
  });
  return ajv.compile(JSON.parse(readFileSync(join(root, "deploy/schema", `${name}.json`), "utf8")) as object);
}

export function hasKey(...keys: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === "object" && value !== null && keys.some((key) => Object.hasOwn(value, key));
}

export function isKind(kind: string): (value: unknown) => boolean {
  return (value) => (value as { readonly kind?: unknown } | null)?.kind === kind;
}
