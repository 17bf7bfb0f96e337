// Refuses words of the private language, and files of the product that do not open with a sentence.
// Files of before are named in house/unfinished.txt; --update removes those that are clean by now.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opensWithSentence } from "./house/comments.ts";
import { findWords } from "./house/words.ts";
import { isProduct, readPackages, root } from "./source/files.ts";

const file = join(import.meta.dirname, "house/unfinished.txt");
/** `words PATH` or `opening PATH` for each file that still offends. */
const unfinished = new Set(readFileSync(file, "utf8").split("\n"));
const words = findWords(root);
const silent = readPackages()
  .filter((source) => isProduct(source.path) && !opensWithSentence(source))
  .map(({ path }) => path);

if (process.argv.includes("--update")) {
  const offending = new Set([
    ...words.map(({ path }) => `words ${path}`),
    ...silent.map((path) => `opening ${path}`),
  ]);
  const left = [...unfinished].filter((line) => offending.has(line)).sort();
  writeFileSync(file, left.map((line) => `${line}\n`).join(""));
}
const complaints = [
  ...words
    .filter(({ path }) => !unfinished.has(`words ${path}`))
    .map(({ path, line, found, instead }) => `${path}:${line}: "${found}" is not a word of ours: ${instead}`),
  ...silent
    .filter((path) => !unfinished.has(`opening ${path}`))
    .map((path) => `${path}: does not open with a sentence that says what it is`),
];
for (const complaint of complaints) console.log(complaint);
if (complaints.length > 0) process.exitCode = 1;
