// Both processes and the sandbox as files that any Node runs, without a container.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleFile } from "./bundle.ts";
import { notices } from "./notices.ts";
import { programNames, programOf } from "./program.ts";

/** A file for `node`, and what has to stand before it on its command line. */
export interface Runnable {
  readonly name: string;
  /** Below the folder. */
  readonly file: string;
  readonly nodeOption: string | undefined;
}

const sandbox = fileURLToPath(new URL("../../../sandbox/", import.meta.url));

/** Where `--version` looks is above the files of the programs. */
const home = "programs";

/** Fills a folder, absent or empty. @returns the programs, sorted by name */
export async function assembleRunnables(
  folder: string,
  release: { readonly version: string; readonly gitHead: string },
): Promise<readonly Runnable[]> {
  mkdirSync(join(folder, home), { recursive: true });
  const products = programNames.map((name) => programOf(name));
  const sources = [
    ...products,
    { name: "sandbox", folder: sandbox, entry: "src/main.ts", nodeOption: undefined },
  ];
  const runnables: Runnable[] = [];
  const packages: string[] = [];
  for (const { name, folder: from, entry, nodeOption } of sources) {
    const bundled = await bundleFile({
      folder: from,
      entry,
      format: "esm",
      target: "node22",
      banner:
        'import { createRequire as plimsollRequire } from "node:module";\nconst require = plimsollRequire(import.meta.url);',
      parts: ["config.js"],
    });
    const file = join(home, `${name}.js`);
    writeFileSync(join(folder, file), bundled.code);
    writeFileSync(join(folder, home, `${name}.cdx.json`), `${JSON.stringify(bundled.sbom, undefined, 2)}\n`);
    packages.push(...bundled.packages);
    runnables.push({ name, file, nodeOption });
  }
  const description = { name: "plimsoll-tutorial", ...release, private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(description, undefined, 2)}\n`);
  writeFileSync(join(folder, home, "THIRD-PARTY-NOTICES.txt"), notices(packages));
  return runnables;
}
