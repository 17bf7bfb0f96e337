import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readNotes } from "../changelog/notes.ts";
import { cutVersion, readVersion } from "../changelog/version.ts";
import { root } from "../source/files.ts";

const version = readVersion(root);

/** Tracked files that name the version in another sense, or whose mention of it is generated or an example. */
const others =
  /^(CHANGELOG\.md|pnpm-lock\.yaml|docs\/developers\/release\.md|deploy\/chart\/plimsoll\/README\.md|packages\/core\/api\/.*)$|^\.changeset\/|\.(sum|mod)$|\/(test|cluster|vectors)\/|process\/program\.ts$|remote-write\.ts$/;

function filesWithVersion(): readonly string[] {
  return execFileSync("git", ["grep", "-lIF", version, "--", "."], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((path) => !others.test(path));
}

let copy = "";
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "plimsoll-version-"));
  for (const path of filesWithVersion()) cpSync(join(root, path), join(copy, path), { recursive: true });
  cpSync(join(root, ".changeset"), join(copy, ".changeset"), { recursive: true });
});
afterEach(() => rmSync(copy, { recursive: true }));

function addNote(bump: string): void {
  const file = join(copy, ".changeset/a-note.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `---\n"plimsoll": ${bump}\n---\n\nWhat is new.\n`);
}

const day = "2030-02-01";

test("a version is written wherever the former one was named, and its notes become its page", () => {
  addNote("minor");
  const cut = cutVersion(copy, { wanted: undefined, day });
  expect(cut.files).toEqual(filesWithVersion().toSorted());
  const left = cut.files.filter((path) => readFileSync(join(copy, path), "utf8").includes(version));
  expect(left).toEqual([]);
  expect(readVersion(copy)).toBe(cut.version);
  const { next, releases } = readNotes(copy);
  expect(next).toEqual([]);
  expect(releases[0]).toMatchObject({
    version: cut.version,
    page: expect.stringContaining("What is new."),
  });
});

test("1.0.0 is chosen, and never follows from notes", () => {
  addNote("major");
  expect(cutVersion(copy, { wanted: "1.0.0", day }).version).toBe("1.0.0");
});

test.each(["0.0.9", "next"])("%s is refused, and nothing is written", (wanted) => {
  addNote("minor");
  expect(() => cutVersion(copy, { wanted, day })).toThrow(`${wanted} is not a version from `);
  expect(readVersion(copy)).toBe(version);
  expect(existsSync(join(copy, ".changeset/a-note.md"))).toBe(true);
});

test("a file that lacks the version is named before anything is written", () => {
  addNote("minor");
  writeFileSync(join(copy, "docs/index.md"), "A page without it.\n");
  expect(() => cutVersion(copy, { wanted: undefined, day })).toThrow(
    `docs/index.md: has no "The version is ${version}"; nothing was written`,
  );
  expect(readVersion(copy)).toBe(version);
});
