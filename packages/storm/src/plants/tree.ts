// Copies of the tree, into which faults are planted.
import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The root of this tree. */
export const root = join(import.meta.dirname, "..", "..", "..", "..");

/** What a package needs to run from its sources. */
const parts = new Set(["package.json", "src", "node_modules", "scenarios"]);

/** A copy of all packages as they are now, in a temporary folder. Third-party packages are shared with this tree. */
export async function copyTree(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "plimsoll-storm-"));
  const remove = () => rm(path, { recursive: true, force: true });
  await symlink(join(root, "node_modules"), join(path, "node_modules"));
  await cp(join(root, "package.json"), join(path, "package.json"));
  for (const name of await readdir(join(root, "packages"))) {
    const from = join(root, "packages", name);
    for (const part of await readdir(from)) {
      if (!parts.has(part)) continue;
      // Links among packages are relative, and so lead to the copies.
      const options = { recursive: true, verbatimSymlinks: true };
      await cp(join(from, part), join(path, "packages", name, part), options);
    }
  }
  return { path, remove };
}
