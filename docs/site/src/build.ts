// Builds the site into a folder.
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vitepress";

const packageFolder = resolve(import.meta.dirname, "..");
const root = resolve(packageFolder, "../..");

/** Of JSON Schemas, which the site has at `schemas/NAME.json`. */
const schemaFolders = ["deploy/schema", "packages/cli/schema", "packages/core/schema"];

/** The folder in the package, for what is only served. */
export const servedFolder = resolve(packageFolder, "dist/site");

/** @throws when a link of a page leads nowhere, or the folder has files that are not of a site */
export async function buildSite(folder: string): Promise<void> {
  const isOther =
    existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(resolve(folder, "hashmap.json"));
  if (isOther) throw new Error(`${folder} has files that are not of this site; name another folder`);
  await build(packageFolder, { outDir: folder });
  for (const schemas of schemaFolders)
    cpSync(join(root, schemas), join(folder, "schemas"), { recursive: true });
}
