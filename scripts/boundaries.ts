// Refuses imports that the table of the architecture does not allow, and circles of files; type imports count.
import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { circleViolations, fileCircles, importViolations, tableViolations } from "./boundaries/check.ts";
import { readCommandLine } from "./source/command-line.ts";
import { readPackages, root } from "./source/files.ts";

const usage = `node scripts/boundaries.ts

Refuses imports that scripts/boundaries/table.ts does not allow, and circles of files.`;
readCommandLine(usage, {});

const files = readPackages();
const packages = globSync("packages/*/package.json", { cwd: root }).map((path) =>
  basename(dirname(join(root, path))),
);
const violations = [...tableViolations(packages), ...importViolations(files), ...circleViolations(files)];
for (const violation of violations) console.log(violation);
console.log(`${files.length} files, ${fileCircles(files).length} circles, ${violations.length} violations`);
if (violations.length > 0 || files.length === 0) process.exitCode = 1;
