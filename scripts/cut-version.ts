// Makes a version of the notes in .changeset, and writes its name into every package, the chart and the kustomize base.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { cutVersion } from "./changelog/version.ts";
import { readCommandLine } from "./source/command-line.ts";
import { root } from "./source/files.ts";

const { values } = readCommandLine(
  "npm run task -- cut-version [--version VERSION]\n\n" +
    "Makes a version of the notes in .changeset: the next one, or VERSION. Commits and publishes nothing.",
  { version: { type: "string" } },
);
try {
  const day = new Date().toISOString().slice(0, 10);
  const { version, files } = cutVersion(root, { wanted: values.version, day });
  const generate = join(import.meta.dirname, "generate.ts");
  const { status } = spawnSync(process.execPath, [generate], { stdio: "inherit" });
  console.log(
    `${version} is in ${files.length} files, and its notes became .changeset/${version}/README.md.`,
  );
  console.log(`Next: npm run verify, npm test, a commit "build: ${version}" and its tag v${version}.`);
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
