// The built page of the console, for the package of the command line.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../console/", import.meta.url));

/** Builds the page from its sources, and copies what a browser loads. */
export function copyPage(folder: string): void {
  const vite = dirname(createRequire(join(page, "package.json")).resolve("vite/package.json"));
  const args = [join(vite, "bin", "vite.js"), "build", "--logLevel", "error"];
  // As for users: a test runner sets another environment, which the build would keep.
  execFileSync("env", ["NODE_ENV=production", process.execPath, ...args], { cwd: page });
  cpSync(join(page, "dist"), folder, {
    recursive: true,
    filter: (file) => !basename(file).startsWith("."),
  });
}
