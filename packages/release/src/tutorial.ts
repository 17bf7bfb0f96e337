// Everything that the tutorials need of us, as an archive for each platform.
import { cpSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { assembleNpmPackage, assembleRunnables } from "@plimsoll/images";
import { writeTgz } from "./archive.ts";
import { addNode, platformsOf, writeLauncher } from "./platforms.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

/** Writes archives with the sandbox, both processes, the command line, the CRDs and the examples. @throws Error when the environment lacks FOREIGN_NODE */
export async function writeTutorial(
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
      writeLauncher(common, { name, command: file, option: nodeOption });
    writeLauncher(common, { name: "plimsoll", command: "cli/dist/main.cjs" });
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
