// The command line as a package for npm: one bundled file, and a small program for each of its names.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleFile } from "./bundle.ts";
import { notices } from "./notices.ts";
import { installedFolders } from "./package-folders.ts";
import { copyPage } from "./page.ts";
import { withPackages } from "./sbom.ts";

const cli = fileURLToPath(new URL("../../../../packages/cli/", import.meta.url));
const license = fileURLToPath(new URL("../../../../LICENSE", import.meta.url));

/** As a command, and as a plugin that kubectl finds by its name. */
const bins = ["plimsoll", "kubectl-plimsoll"];

interface Description {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
}

/** Fills a folder, absent or empty, with what `npm publish` takes. @param gitHead the commit, where it is known */
export async function assembleNpmPackage(folder: string, gitHead?: string): Promise<void> {
  const source = JSON.parse(readFileSync(join(cli, "package.json"), "utf8")) as Description;
  const { code, sbom, packages } = await bundleFile({
    folder: cli,
    entry: "src/main.ts",
    // Loading it takes half as long as that of a module.
    format: "cjs",
    target: "node22",
    banner: 'const plimsollUrl = require("node:url").pathToFileURL(__filename).href;',
    define: { "import.meta.url": "plimsollUrl" },
    parts: ["config.js", "portforward.js"],
  });
  for (const part of ["bin", "dist"]) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "dist", "main.cjs"), code);
  const ofPage = copyPage(join(folder, "dist", "console"));
  for (const name of bins) {
    writeFileSync(join(folder, "bin", `${name}.cjs`), launcherFor(source.engines["node"]));
    chmodSync(join(folder, "bin", `${name}.cjs`), 0o755);
  }
  const { name, version, description, license: terms, engines } = source;
  const bin = Object.fromEntries(bins.map((one) => [one, `bin/${one}.cjs`]));
  const files = ["bin", "dist", "sbom.cdx.json", "THIRD-PARTY-NOTICES.txt"];
  writeFileSync(
    join(folder, "package.json"),
    json({ name, version, gitHead, description, license: terms, type: "commonjs", engines, bin, files }),
  );
  writeFileSync(join(folder, "sbom.cdx.json"), json(withPackages(sbom, ofPage)));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices([...packages, ...installedFolders(ofPage)]));
  copyFileSync(license, join(folder, "LICENSE"));
  copyFileSync(join(cli, "README.npm.md"), join(folder, "README.md"));
}

/** The compiled form is kept between runs: compiling is most of the time until the first line. */
function launcherFor(engine = ""): string {
  const needed = engine.replace(">=", "");
  const [major, minor] = needed.split(".");
  return `#!/usr/bin/env node
const { node } = process.versions;
const [major, minor] = node.split(".");
if (major < ${major} || (major == ${major} && minor < ${minor})) {
  console.error(\`error: plimsoll needs Node.js ${needed} or newer, and this is \${node}\`);
  process.exit(1);
}
require("node:module").enableCompileCache?.();
require("../dist/main.cjs");
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
