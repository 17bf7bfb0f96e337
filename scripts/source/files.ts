// Finds the TypeScript files of the packages and knows what each of them is for.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSource, type SourceFile } from "./parse.ts";

export const root = resolve(import.meta.dirname, "../..");

/** All TypeScript files of the packages below a folder, parsed. */
export function readPackages(folder = root): readonly SourceFile[] {
  return globSync("packages/*/**/*.{ts,tsx}", {
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
