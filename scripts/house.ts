// Prints the figures of the code base beside those before its redesign.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Figures, measure } from "./house/figures.ts";
import { report } from "./house/report.ts";
import { readCommandLine } from "./source/command-line.ts";
import { root } from "./source/files.ts";

const usage = `npm run house -- [--list] [--json] [--tree FOLDER [--way FILE#FUNCTION]]

Prints the figures of the code base beside those before its redesign.

  --list               names first what is counted and should not be there
  --json               prints the figures as JSON
  --tree FOLDER        measures another checkout, e.g. an older one
  --way FILE#FUNCTION  where a spec's way through reconcile starts there; may be repeated`;
const { values } = readCommandLine(usage, {
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  tree: { type: "string", default: root },
  way: { type: "string", multiple: true },
});
if (!existsSync(join(values.tree, "packages"))) {
  console.error(`--tree ${values.tree}: there is no folder "packages" in it`);
  process.exit(2);
}
const { figures, details } = measure(values.tree, values.way);
if (values.json) {
  console.log(JSON.stringify(figures, null, 2));
} else {
  const before = JSON.parse(readFileSync(join(import.meta.dirname, "house/before.json"), "utf8")) as Figures;
  if (values.list) for (const line of details) console.log(line);
  console.log(report(before, figures));
}
