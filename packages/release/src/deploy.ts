// The chart, and the kustomize base with the digests of the released images, and the JSON Schemas.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programNames } from "@plimsoll/images";
import { findDeployTools } from "@plimsoll/testbed";
import { parseDocument } from "yaml";
import { writeTgz } from "./archive.ts";
import { type Digests, repositoryOf } from "./images.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

/** Writes the chart as `helm install` takes it. @throws Error with what helm finds wrong */
export async function writeChart(
  root: string,
  folder: string,
  release: Version,
  report: (line: string) => void,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { helm } = await findDeployTools(report);
  const { version, epochSeconds } = release;
  await inScratch(async (scratch) => {
    const args = ["--version", version, "--app-version", version, "--destination", scratch];
    execFileSync(helm, ["package", join(root, "deploy", "chart", "plimsoll"), ...args], { stdio: "pipe" });
    const [file = ""] = readdirSync(scratch);
    // helm packs the time of packing.
    const unpacked = join(scratch, "unpacked");
    mkdirSync(unpacked);
    execFileSync("tar", ["-xzf", join(scratch, file), "-C", unpacked]);
    await writeTgz(unpacked, join(folder, file), epochSeconds);
  });
}

/** Folders of JSON Schemas. */
const schemaFolders = ["deploy/schema", "packages/cli/schema", "packages/core/schema"];

/** Writes the JSON Schemas of all files and documents as one archive. */
export async function writeSchemas(root: string, folder: string, release: Version): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { version, epochSeconds } = release;
  await inScratch(async (scratch) => {
    const name = `plimsoll-schemas-${version}`;
    for (const schemas of schemaFolders)
      cpSync(join(root, schemas), join(scratch, name), { recursive: true });
    await writeTgz(scratch, join(folder, `${name}.tgz`), epochSeconds);
  });
}

/** Writes base, components and overlays of kustomize as one archive, with images by tag and digest. */
export async function writeKustomize(
  root: string,
  folder: string,
  release: Version,
  digests: Digests,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { version, epochSeconds } = release;
  await inScratch(async (scratch) => {
    const name = `plimsoll-kustomize-${version}`;
    cpSync(join(root, "deploy", "kustomize"), join(scratch, name), { recursive: true });
    const file = join(scratch, name, "base", "kustomization.yaml");
    const document = parseDocument(readFileSync(file, "utf8"));
    const images = programNames.map((program) => ({
      name: program,
      newName: repositoryOf(program),
      newTag: version,
      digest: digests[program],
    }));
    document.set("images", images);
    writeFileSync(file, document.toString({ lineWidth: 120 }));
    await writeTgz(scratch, join(folder, `${name}.tgz`), epochSeconds);
  });
}
