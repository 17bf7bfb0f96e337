// Prints the figures of the tree beside their goals, or names those above what they may be.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { figuresOf } from "./house/figures.ts";
import { exceeded, report } from "./house/report.ts";
import { readCommandLine } from "./source/command-line.ts";
import { root } from "./source/files.ts";

const usage = `npm run task -- house [--list] [--json] [--check] [--tree FOLDER]

Prints the figures of the tree beside their goals.

  --list         prints first what is counted
  --json         prints the figures as JSON
  --check        prints only the figures that may not be so high, and fails then
  --tree FOLDER  measures another checkout`;
const { values } = readCommandLine(usage, {
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  check: { type: "boolean", default: false },
  tree: { type: "string", default: root },
});
if (!existsSync(join(values.tree, "packages"))) {
  console.error(`--tree ${values.tree}: there is no folder "packages" in it`);
  process.exit(2);
}
const figures = figuresOf(values.tree);
if (values.check) {
  const lines = exceeded(figures);
  for (const line of lines) console.log(line);
  process.exitCode = lines.length === 0 ? 0 : 1;
} else if (values.json) console.log(JSON.stringify(figures, null, 2));
else {
  if (values.list)
    for (const { what, places = [] } of figures) for (const place of places) console.log(`${what}: ${place}`);
  console.log(report(figures));
}
