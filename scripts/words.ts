// Lists words of the private language.
import { findWords } from "./house/words.ts";
import { readCommandLine } from "./source/command-line.ts";
import { root } from "./source/files.ts";

const usage = `node scripts/words.ts [FOLDER…], e.g. node scripts/words.ts packages/kube docs

Lists words that we do not use, and what we say instead.`;
const { positionals: folders } = readCommandLine(usage, {}, true);
const findings = findWords(root).filter(
  ({ path }) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)),
);
for (const { path, line, found, instead } of findings)
  console.log(`${path}:${line}: "${found}" → ${instead}`);
console.log(`${findings.length} in ${new Set(findings.map(({ path }) => path)).size} files`);
