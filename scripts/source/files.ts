// Finds the TypeScript files of the packages and knows what each of them is for.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseSource, type SourceFile } from "./parse.ts";

export const root = resolve(import.meta.dirname, "../..");

/** The folders of all packages and tools: those of pnpm-workspace.yaml. */
export const workspaces = "{packages/*,tools/*,docs/site}";

/** Those that have a manifest. A package that moved leaves its ignored files behind in clones that had it. */
export function packageFolders(folder = root): readonly string[] {
  return globSync(`${workspaces}/package.json`, { cwd: folder })
    .map((path) => dirname(path))
    .sort();
}

/** All TypeScript files of the packages and tools below a folder, parsed. */
export function readPackages(folder = root): readonly SourceFile[] {
  return globSync(`${workspaces}/**/*.{ts,tsx}`, {
    cwd: folder,
    exclude: (path) => /(^|\/)(node_modules|dist|vectors)$/.test(path),
  })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.endsWith(".d.ts"))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(folder, path), "utf8")));
}

/** The package that a file belongs to. */
export function packageOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Whether a file is part of what its package gives to others, and no test, bench or fixture. */
export function isProduct(path: string): boolean {
  return path.split("/")[2] === "src";
}

/** Whether a file of the product is only for tests of other packages: an entry `testing`, or below one. */
export function isTesting(path: string): boolean {
  return /\/src\/(?:.*\/)?testing(?:\/|\.ts$)/.test(path);
}
