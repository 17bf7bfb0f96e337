// What is released: one version for all packages, and the commit that it is made from.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Version {
  readonly version: string;
  /** The commit, in full. */
  readonly revision: string;
  /** Of the commit: the time of every file. */
  readonly epochSeconds: number;
  /** Files differ from the commit. */
  readonly isChanged: boolean;
}

/** @throws Error when packages have different versions, or the folder is not a clone */
export function readVersion(root: string): Version {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const { version } = readManifest(join(root, "package.json"));
  const different = globSync("{packages/*,tools/*,docs/site}/package.json", { cwd: root })
    .map((file) => ({ folder: dirname(file), found: readManifest(join(root, file)).version }))
    .filter(({ found }) => found !== version);
  if (different.length > 0) {
    const list = different.map(({ folder, found }) => `${folder} ${found}`).join(", ");
    throw new Error(`package.json has version ${version}, but ${list}: give all of them one version`);
  }
  return {
    version,
    revision: git("rev-parse", "HEAD"),
    epochSeconds: Number(git("log", "-1", "--format=%ct")),
    isChanged: git("status", "--porcelain") !== "",
  };
}

function readManifest(file: string): { readonly version: string } {
  return JSON.parse(readFileSync(file, "utf8")) as { version: string };
}
