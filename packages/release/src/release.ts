// All artifacts of a release, in one folder.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeChecksums } from "./checksums.ts";
import { writeChart, writeKustomize, writeSchemas } from "./deploy.ts";
import { writeImages } from "./images.ts";
import { writeNpm } from "./npm.ts";
import { writePlugin } from "./plugin.ts";
import { writeTutorial } from "./tutorial.ts";
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
    await writeChart(root, join(part, "chart"), release, report);
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
