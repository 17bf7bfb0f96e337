import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { coreDir, plainNpm, repoDir, run } from "./run.ts";

/**
 * Compiles a copy of the package inside `folder` and packs it as `npm publish` would, so that nothing depends
 * on, or disturbs, the dist folder of the workspace. Returns the path of the tarball.
 */
export function packCore(folder: string): string {
  const copy = join(folder, "workspace", "packages", "core");
  mkdirSync(copy, { recursive: true });
  cpSync(join(repoDir, "tsconfig.base.json"), join(folder, "workspace", "tsconfig.base.json"));
  cpSync(join(repoDir, "LICENSE"), join(copy, "LICENSE"));
  for (const name of ["package.json", "tsconfig.json", "README.md", "api", "src"]) {
    cpSync(join(coreDir, name), join(copy, name), { recursive: true });
  }
  compile(["-p", copy], folder);
  run(plainNpm(), ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], copy);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack left no tarball");
  return join(folder, tarball);
}

/** Runs the workspace's TypeScript compiler. */
export function compile(args: readonly string[], cwd: string): string {
  return run(process.execPath, [join(repoDir, "node_modules", "typescript", "bin", "tsc"), ...args], cwd);
}
