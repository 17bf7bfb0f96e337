// Writes the packages and their imports into docs/architecture.md; with --check, says whether they differ and fails.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describePackages, withGenerated } from "./boundaries/drawing.ts";
import { rows } from "./boundaries/table.ts";
import { root } from "./source/files.ts";
import { generate } from "./source/generated.ts";

const path = "docs/architecture.md";
const page = readFileSync(join(root, path), "utf8");
const existing = rows.filter(({ name }) => existsSync(join(root, "packages", name, "package.json")));
generate(
  { [path]: withGenerated(page, "packages", describePackages(existing)) },
  "scripts/boundaries/table.ts",
);
