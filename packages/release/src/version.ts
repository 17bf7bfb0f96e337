// What is released: one version for all packages, and the commit that it is made from.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Version {
  readonly version: string;
  /** The commit, in full. */
  readonly revision: string;
  /** Of the commit: the time of every file. */
  readonly epochSeconds: number;
  /** Files differ from the commit. */
  readonly isChanged: boolean;
}

/** @throws Error when packages have different versions, or the folder is no clone */
export function readVersion(root: string): Version {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const { version } = readManifest(root);
  const different = readdirSync(join(root, "packages"))
    .map((name) => ({ name, found: readManifest(join(root, "packages", name)).version }))
    .filter(({ found }) => found !== version);
  if (different.length > 0) {
    const list = different.map(({ name, found }) => `packages/${name} ${found}`).join(", ");
    throw new Error(`package.json has version ${version}, but ${list}: give all of them one version`);
  }
  return {
    version,
    revision: git("rev-parse", "HEAD"),
    epochSeconds: Number(git("log", "-1", "--format=%ct")),
    isChanged: git("status", "--porcelain") !== "",
  };
}

function readManifest(folder: string): { readonly version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
}
