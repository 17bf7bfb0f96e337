// Writes all that is generated from the sources. `npm run verify` says what of it is old.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readCommandLine } from "./source/command-line.ts";

readCommandLine("npm run generate\n\nWrites all that is generated from the sources.", {});

const scripts = [
  ["api-report.ts", "--update"],
  ["generate-record-schema.ts"],
  ["generate-cli-schemas.ts"],
  ["generate-crds.ts"],
  ["generate-editor-schemas.ts"],
  ["generate-sandbox-fields.ts"],
  ["generate-deploy.ts"],
  ["generate-docs.ts"],
  ["generate-crd-docs.ts"],
  ["generate-metrics.ts"],
  ["generate-architecture.ts"],
  ["generate-errors.ts"],
  ["generate-doctor.ts"],
  ["generate-performance.ts"],
  ["generate-changelog.ts"],
] as const;

for (const [name, ...args] of scripts) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
