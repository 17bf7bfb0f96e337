// Prints the figures of the house beside those before its redesign:
//   house.ts [--list] [--json] [--tree FOLDER [--way FILE#FUNCTION]]
// --list names what is counted; --tree measures another checkout, e.g. an older one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figures, measure } from "./house/figures.ts";
import { report } from "./house/report.ts";
import { root } from "./source/files.ts";

const { values } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    tree: { type: "string", default: root },
    way: { type: "string", multiple: true },
  },
});
const { figures, details } = measure(values.tree, values.way);
if (values.json) {
  console.log(JSON.stringify(figures, null, 2));
} else {
  const before = JSON.parse(readFileSync(join(import.meta.dirname, "house/before.json"), "utf8")) as Figures;
  if (values.list) for (const line of details) console.log(line);
  console.log(report(before, figures));
}
