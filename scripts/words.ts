// Lists words of the private language: words.ts [FOLDER…], e.g. words.ts packages/kube docs
import { findWords } from "./house/words.ts";
import { root } from "./source/files.ts";

const folders = process.argv.slice(2);
const findings = findWords(root).filter(
  ({ path }) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)),
);
for (const { path, line, found, instead } of findings)
  console.log(`${path}:${line}: "${found}" → ${instead}`);
console.log(`${findings.length} in ${new Set(findings.map(({ path }) => path)).size} files`);
