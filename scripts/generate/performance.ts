// The measured figures in docs/developers/performance.md, from tools/bench/results.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillPage } from "../../tools/bench/src/goals/page.ts";
import { readResults } from "../../tools/bench/src/goals/result.ts";
import { root } from "../source/files.ts";

export function performance() {
  const path = "docs/developers/performance.md";
  const results = readResults(join(root, "tools/bench/results.json"));
  return { [path]: fillPage(readFileSync(join(root, path), "utf8"), results) };
}
