// The built page of the console, for the package of the command line and the image of the autoscaler.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolders } from "./package-folders.ts";

const builder = fileURLToPath(new URL("./build-page.ts", import.meta.url));

/**
 * Builds the page from its sources in a folder of its own, and copies what a browser loads. Returns the folders of the
 * packages, ours and others', of which something is in it.
 */
export function copyPage(folder: string): readonly string[] {
  const scratch = mkdtempSync(join(tmpdir(), "plimsoll-page-"));
  try {
    // As for users: a test runner sets another environment, which the build would keep.
    const args = ["NODE_ENV=production", process.execPath, builder, scratch];
    const files = JSON.parse(execFileSync("env", args, { encoding: "utf8" })) as readonly string[];
    cpSync(scratch, folder, { recursive: true, filter: (file) => !basename(file).startsWith(".") });
    chmodSync(folder, 0o755);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
    return packageFolders(files);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
