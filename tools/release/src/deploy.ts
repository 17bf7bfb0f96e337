// The chart, and the kustomize base with the digests of the released images, and the JSON Schemas.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { writeTgz } from "./archive.ts";
import { programNames } from "./images/index.ts";
import { type Digests, repositoryOf } from "./images.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

/** What `.helmignore` names, in the chart's own folder. */
const notInChart = /^\/ci(?:$|\/)|\.(?:orig|swp)$|\.helmignore$/;

/** Writes the chart as `helm install` takes it. Helm would have to be built, and it packs the time of packing. */
export async function writeChart(root: string, folder: string, release: Version): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { version, epochSeconds } = release;
  await inScratch(async (scratch) => {
    const chart = join(scratch, "plimsoll");
    const source = join(root, "deploy", "chart", "plimsoll");
    cpSync(source, chart, {
      recursive: true,
      filter: (path) => !notInChart.test(path.slice(source.length)),
    });
    const file = join(chart, "Chart.yaml");
    const document = parseDocument(readFileSync(file, "utf8"));
    for (const key of ["version", "appVersion"]) document.set(key, version);
    writeFileSync(file, document.toString({ lineWidth: 120 }));
    await writeTgz(scratch, join(folder, `plimsoll-${version}.tgz`), epochSeconds);
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
