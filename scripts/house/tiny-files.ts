// Finds tiny files that only one other file imports.
import { posix } from "node:path";
import type { SourceFile } from "../source/parse.ts";

const maxLines = 30;

/** Files of at most 30 lines with one importer. `entries` are files that other packages import. */
export function tinyFiles(files: readonly SourceFile[], entries: ReadonlySet<string>): readonly string[] {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    for (const { target } of imports) {
      const found = posix.join(posix.dirname(path), target);
      if (target.startsWith(".")) importers.set(found, (importers.get(found) ?? new Set()).add(path));
    }
  }
  return files
    .filter(({ path, text }) => !entries.has(path) && text.trimEnd().split("\n").length <= maxLines)
    .flatMap(({ path }) => {
      const [importer, ...others] = importers.get(path) ?? [];
      return importer === undefined || others.length > 0 ? [] : [`${path}: only ${importer} imports it`];
    });
}
