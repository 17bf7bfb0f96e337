// Refuses imports that the table of the architecture does not allow, and circles of files; type imports count.
import { circleViolations, fileCircles, importViolations, tableViolations } from "./boundaries/check.ts";
import { readCommandLine } from "./source/command-line.ts";
import { packageFolders, readPackages } from "./source/files.ts";

const usage = `node scripts/boundaries.ts

Refuses imports that scripts/boundaries/table.ts does not allow, and circles of files.`;
readCommandLine(usage, {});

const files = readPackages();
const violations = [
  ...tableViolations(packageFolders()),
  ...importViolations(files),
  ...circleViolations(files),
];
for (const violation of violations) console.log(violation);
console.log(`${files.length} files, ${fileCircles(files).length} circles, ${violations.length} violations`);
if (violations.length > 0 || files.length === 0) process.exitCode = 1;
