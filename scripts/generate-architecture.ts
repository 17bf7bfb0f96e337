// Writes the packages and their imports into docs/architecture.md; with --check, says whether they differ and fails.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describePackages, withGenerated } from "./boundaries/drawing.ts";
import { rows } from "./boundaries/table.ts";
import { root } from "./source/files.ts";

const file = join(root, "docs/architecture.md");
const page = readFileSync(file, "utf8");
const existing = rows.filter(({ name }) => existsSync(join(root, "packages", name, "package.json")));
const fresh = withGenerated(page, "packages", describePackages(existing));
if (!process.argv.includes("--check")) {
  writeFileSync(file, fresh);
} else if (fresh !== page) {
  console.log("docs/architecture.md is not what scripts/boundaries/table.ts says: run npm run generate");
  process.exitCode = 1;
}
