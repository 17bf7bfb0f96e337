// The built page of the console, for the package of the command line and the image of the autoscaler.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../console/", import.meta.url));

/** Builds the page from its sources in a folder of its own, and copies what a browser loads. */
export function copyPage(folder: string): void {
  const vite = dirname(createRequire(join(page, "package.json")).resolve("vite/package.json"));
  const scratch = mkdtempSync(join(tmpdir(), "plimsoll-page-"));
  try {
    const options = ["--outDir", scratch, "--emptyOutDir", "--logLevel", "error"];
    // As for users: a test runner sets another environment, which the build would keep.
    const args = ["NODE_ENV=production", process.execPath, join(vite, "bin", "vite.js"), "build", ...options];
    execFileSync("env", args, { cwd: page });
    cpSync(scratch, folder, { recursive: true, filter: (file) => !basename(file).startsWith(".") });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}
