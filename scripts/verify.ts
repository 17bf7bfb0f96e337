// Every check that is not a test, all of them to the end, each with its time.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { readCommandLine } from "./source/command-line.ts";

readCommandLine("npm run verify\n\nRuns every check that is not a test, and names those that fail.", {});

const projects = globSync([
  "packages/*/tsconfig.json",
  "packages/*/{test,cluster,bench}/tsconfig.json",
  "scripts/tsconfig.json",
]);

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ["format", "biome", "ci", "--colors=off", "."],
  ["types", "tsc", "-b", ...projects],
  // After the types: the linter reads the declarations of packages that are used as a consumer has them.
  ["lint", "oxlint", "--deny-warnings"],
  ["habits", "node", "scripts/habits.ts"],
  ["boundaries", "node", "scripts/boundaries.ts"],
  ["dead code", "knip"],
  ["api report", "node", "scripts/api-report.ts"],
  ["generated record schema", "node", "scripts/generate-record-schema.ts", "--check"],
  ["generated CLI schemas", "node", "scripts/generate-cli-schemas.ts", "--check"],
  ["generated CRDs", "node", "scripts/generate-crds.ts", "--check"],
  ["generated editor schemas", "node", "scripts/generate-editor-schemas.ts", "--check"],
  ["generated sandbox fields", "node", "scripts/generate-sandbox-fields.ts", "--check"],
  ["generated deploy", "node", "scripts/generate-deploy.ts", "--check"],
  ["generated docs", "node", "scripts/generate-docs.ts", "--check"],
  ["generated CRD docs", "node", "scripts/generate-crd-docs.ts", "--check"],
  ["generated metrics", "node", "scripts/generate-metrics.ts", "--check"],
  ["generated architecture", "node", "scripts/generate-architecture.ts", "--check"],
  ["generated codes", "node", "scripts/generate-errors.ts", "--check"],
  ["generated doctor", "node", "scripts/generate-doctor.ts", "--check"],
  ["generated performance", "node", "scripts/generate-performance.ts", "--check"],
  ["generated changelog", "node", "scripts/generate-changelog.ts", "--check"],
];

const failed: string[] = [];
for (const [name, command, ...args] of checks) {
  const startedAt = performance.now();
  const run = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    env: { ...process.env, NO_COLOR: "1" },
  });
  const ok = run.status === 0;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  if (!ok) {
    failed.push(name);
    console.log(`${run.error?.message ?? ""}${run.stdout}${run.stderr}`);
  }
}
console.log(`${checks.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) {
  console.log(`verify: ${failed.join(", ")} failed`);
  process.exitCode = 1;
}
