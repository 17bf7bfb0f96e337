// The files of a release, for tests that use them as their users do.
import { execFileSync } from "node:child_process";
import { cpSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { local } from "./fixture.ts";
import type { Material } from "./tutorial-page.ts";

/** Makes a release of this clone, which takes a minute of one core. */
export function makeRelease(folder: string): void {
  execFileSync("npm", ["run", "release", "--", "--dry-run", "--out", folder], {
    cwd: local("../../../"),
    stdio: "pipe",
  });
}

/** As image archives and archives of programs name this machine's architecture. */
export const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** One file of a release, by a pattern below its folder. @throws where there is none, or are several */
export function releasedFile(release: string, pattern: string): string {
  const [file, ...others] = globSync(pattern, { cwd: release });
  if (file === undefined || others.length > 0) throw new Error(`${release} has not one ${pattern}`);
  return join(release, file);
}

/** The archive of the tutorial, and nothing else of us. */
export function tutorialArchive(release: string): Material {
  const file = releasedFile(release, `tutorial/*-linux-${architecture}.tar.gz`);
  return { isClone: false, fill: (folder) => cpSync(file, join(folder, basename(file))) };
}
