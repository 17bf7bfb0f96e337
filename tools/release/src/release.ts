// All artifacts of a release, in one folder.

import { createHash } from "node:crypto";
import {
  cpSync,
  createReadStream,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { writeTgz } from "./archive.ts";
import { writeChart, writeKustomize, writeSchemas } from "./deploy.ts";
import { assembleNpmPackage, assembleRunnables } from "./images/index.ts";
import { writeImages } from "./images.ts";
import { writeNpm } from "./npm.ts";
import { addNode, platformsOf, writeLauncher } from "./platforms.ts";
import { writePlugin } from "./plugin.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

export interface ReleaseRequest {
  /** Of the clone. */
  readonly root: string;
  /** Absent, or replaced where it may be. */
  readonly folder: string;
  readonly mayReplace: boolean;
  readonly release: Version;
  readonly report: (line: string) => void;
  readonly environment: NodeJS.ProcessEnv;
}

/** A file of a release. */
export interface Artifact {
  readonly path: string;
  readonly bytes: number;
}

/** Writes all of them, or none. @throws Error that says what is missing */
export async function writeRelease(request: ReleaseRequest): Promise<readonly Artifact[]> {
  const { root, folder, mayReplace, release, report, environment } = request;
  if (existsSync(folder) && !mayReplace) {
    throw new Error(`${folder} is there already: name another folder with --out, or replace it with --force`);
  }
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  try {
    report("packages for npm");
    await writeNpm(root, join(part, "npm"), release);
    report("images");
    const digests = await writeImages(join(part, "images"), release, environment);
    report("chart and kustomize base");
    await writeChart(root, join(part, "chart"), release);
    await writeKustomize(root, join(part, "kustomize"), release, digests);
    report("JSON Schemas");
    await writeSchemas(root, join(part, "schemas"), release);
    report("command line");
    await writePlugin(join(part, "cli"), release, environment);
    report("tutorial");
    await writeTutorial(root, join(part, "tutorial"), release, environment);
    await writeChecksums(part);
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((path) => ({ path, status: statSync(join(folder, path)) }))
    .filter(({ status }) => status.isFile())
    .map(({ path, status }) => ({ path, bytes: status.size }));
}

/** Lists every file below a folder. */
async function writeChecksums(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
  const lines: string[] = [];
  for (const file of files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(folder, file)), hash);
    lines.push(`${hash.digest("hex")}  ${file}\n`);
  }
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

/** Writes archives with the sandbox, both processes, the command line, the CRDs and the examples. @throws Error when the environment lacks FOREIGN_NODE */
async function writeTutorial(
  root: string,
  folder: string,
  release: Version,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { version, revision, epochSeconds } = release;
  await inScratch(async (scratch) => {
    const common = join(scratch, "common");
    const runnables = await assembleRunnables(common, { version, gitHead: revision });
    await assembleNpmPackage(join(common, "cli"), revision);
    cpSync(join(root, "LICENSE"), join(common, "LICENSE"));
    cpSync(join(root, "deploy/crds"), join(common, "deploy/crds"), { recursive: true });
    for (const path of globSync("examples/tutorial*", { cwd: root }))
      cpSync(join(root, path), join(common, path), { recursive: true });
    for (const { name, file, nodeOption } of runnables)
      writeLauncher(common, { name: `bin/${name}`, command: file, option: nodeOption });
    for (const name of ["plimsoll", "kubectl-plimsoll"])
      writeLauncher(common, { name: `bin/${name}`, command: "cli/dist/main.cjs", option: `--title=${name}` });
    for (const { os, arch, node } of platformsOf(environment)) {
      const name = `plimsoll-tutorial-${version}-${os}-${arch}`;
      // One folder above what is unpacked.
      const place = join(scratch, `${os}-${arch}`);
      cpSync(common, join(place, name), { recursive: true });
      addNode(join(place, name), node);
      await writeTgz(place, join(folder, `${name}.tar.gz`), epochSeconds);
    }
  });
}
