import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Bump, type Note, nextVersion, parseNote, readNotes } from "../changelog/notes.ts";
import { renderChangelog } from "../changelog/render.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plimsoll-notes-"));
  mkdirSync(join(root, ".changeset"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  const file = join(root, ".changeset", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const note = (name: string, bump: string, text: string) => `---\n"${name}": ${bump}\n---\n\n${text}\n`;
const bumped = (...bumps: readonly Bump[]): readonly Note[] =>
  bumps.map((bump) => ({ path: "a.md", name: "plimsoll", bump, text: "x" }));

test("a note is what the tool of changesets writes", () => {
  expect(parseNote("a.md", note("@plimsoll/core", "minor", "core: more.\n"))).toEqual({
    path: "a.md",
    name: "@plimsoll/core",
    bump: "minor",
    text: "core: more.",
  });
});

test.each([
  ["no note at all", "is no note: "],
  [note("@plimsoll/cor", "minor", "x"), "no heading is for @plimsoll/cor: name one of plimsoll, "],
  [note("@plimsoll/core", "none", "x"), '@plimsoll/core has "none": it takes patch, minor or major'],
  [note("@plimsoll/core", "minor", ""), "has no text"],
  [
    note("plimsoll", "patch", "Removed: `--old`."),
    'is "patch": what begins with "Removed:" is at least minor',
  ],
  ['---\n"plimsoll": minor\n"@plimsoll/core": patch\n---\n\nx\n', "names 2 packages: a note names one"],
  ["---\n---\n\nx\n", "names 0 packages: a note names one"],
])("a note that says too little is refused: %j", (source, problem) => {
  expect(parseNote("a.md", source)).toContain(problem);
});

test("all problems are named at once, with their files", () => {
  write("a.md", note("plimsol", "minor", "x"));
  write("later/b.md", note("plimsoll", "minor", "x"));
  write("c.md", note("plimsoll", "minor", ""));
  expect(() => readNotes(root)).toThrow(
    /^\.changeset\/later: is not a version\n\.changeset\/a\.md: no heading is for plimsol: .*\n\.changeset\/c\.md: has no text$/,
  );
});

test("notes become a changelog: the newest version first, what to do before anything, then the parts", () => {
  write("0.9.0/README.md", "The ninth.\n");
  write("0.10.0/README.md", "The tenth.\n");
  write("w.md", note("@plimsoll/core", "minor", "core: a paragraph\nof two lines."));
  write("x.md", note("plimsoll", "minor", "- one\n  more\n- two"));
  write("README.md", "is no note");
  write("z.md", note("@plimsoll/autoscaler", "patch", "autoscaler: right again."));
  write("y.md", note("@plimsoll/autoscaler", "minor", "Removed: autoscaler: `--old`."));
  const [, , , , , , ...lines] = renderChangelog(readNotes(root)).split("\n");
  expect(lines.filter((line) => line !== "")).toEqual([
    "## Unreleased",
    "This will be 0.11.0.",
    "### Removed",
    "- autoscaler: `--old`.",
    "### All parts",
    "- one",
    "  more",
    "- two",
    "### autoscaler",
    "- autoscaler: right again.",
    "### Packages",
    "- core: a paragraph",
    "  of two lines.",
    "## 0.10.0",
    "The tenth.",
    "## 0.9.0",
    "The ninth.",
  ]);
});

test.each([
  ["0.1.0", bumped("patch", "patch"), "0.1.1"],
  ["0.1.3", bumped("patch", "minor"), "0.2.0"],
  ["0.1.0", bumped("major"), "0.2.0"],
  ["1.2.3", bumped("minor", "major"), "2.0.0"],
  ["1.2.3", bumped("patch"), "1.2.4"],
  ["1.2.3", bumped(), undefined],
])("after %s", (last, notes, next) => {
  expect(nextVersion(last, notes)).toBe(next);
});
