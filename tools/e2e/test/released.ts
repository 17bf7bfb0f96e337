// The files of a release, for tests that use them as their users do.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { until } from "@plimsoll/testbed";
import { inject } from "vitest";
import { local } from "./fixture.ts";
import type { Material } from "./tutorial-page.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of release-folder.ts, where the suite has it. */
    readonly releaseFolder: string;
  }
}

/** Makes a release of this clone, which takes a minute of one core. */
function makeRelease(folder: string): void {
  execFileSync("npm", ["run", "release", "--", "--dry-run", "--out", folder], {
    cwd: local("../../../"),
    stdio: "pipe",
  });
}

/** Images for two architectures are compressed, which takes minutes on a busy machine. */
export const releaseLimitMs = 900_000;

/**
 * The release that all files of a run share, which the first of them makes. In its place another one is used where
 * PLIMSOLL_RELEASE has its folder.
 */
export async function sharedRelease(): Promise<string> {
  const given = process.env["PLIMSOLL_RELEASE"];
  if (given !== undefined) return given;
  const folder = inject("releaseFolder");
  const [release, failed] = [join(folder, "release"), join(folder, "failed")];
  try {
    mkdirSync(join(folder, "begun"));
  } catch {
    const ended = () => existsSync(release) || existsSync(failed) || undefined;
    await until("the release that another file makes", ended, { timeoutMs: releaseLimitMs, everyMs: 250 });
    if (existsSync(failed)) throw new Error("the release could not be made: see the file that made it");
    return release;
  }
  try {
    makeRelease(release);
  } catch (error) {
    writeFileSync(failed, "");
    throw error;
  }
  return release;
}

/** As image archives and archives of programs name this machine's architecture. */
export const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** One file of a release, by a pattern below its folder. @throws where there is none, or are several */
export function releasedFile(release: string, pattern: string): string {
  const [file, ...others] = globSync(pattern, { cwd: release });
  if (file === undefined || others.length > 0) throw new Error(`${release} has not one ${pattern}`);
  return join(release, file);
}

/** The archive of the tutorial, and nothing else of us. `git clone` unpacks it: it has the files of a clone that pages use. */
export function tutorialArchive(release: string, programs: string): Material {
  const file = releasedFile(release, `tutorial/*-linux-${architecture}.tar.gz`);
  writeGit(programs, `tar -xzf "${file}" && mv plimsoll-tutorial-*/ "$target"`);
  return { programs, fill: (folder) => cpSync(file, join(folder, basename(file))) };
}

/** The clone that the tests are in. `git clone` makes a folder of links to it, with copies of the files that pages change. */
export function tutorialClone(programs: string): Material {
  const root = local("../../../");
  const copies = ["examples", "deploy"];
  const links = readdirSync(root).filter((name) => !copies.includes(name) && name !== ".git");
  const commands = [
    'mkdir "$target"',
    `cd "${root}"`,
    `cp -R ${copies.join(" ")} "$target"`,
    `for name in ${links.join(" ")}; do ln -s "$PWD/$name" "$target/$name"; done`,
  ];
  writeGit(programs, commands.join(" && "));
  return { programs, isClone: true };
}

/** A program `git`, which clones by a script. */
function writeGit(programs: string, script: string): void {
  const target = "target=$PWD/${3:-plimsoll}";
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, "git"), `#!/bin/sh\n${target}\n[ "$1" = clone ] || exit 1\n${script}\n`, {
    mode: 0o755,
  });
}
