// Files that are replaced whole, in folders where others may write.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { beforeEach, expect, test } from "vitest";
import { fileErrorText, openReplacement, replaceFile } from "../../src/process/index.ts";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

test("the file has the content, and nothing else is left", async () => {
  const file = join(folder, "f");
  await replaceFile(file, "one", 0o600);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["one", 0o600]);
  await replaceFile(file, ["tw", "o"], 0o600);
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["two", ["f"]]);
});

test("links are not followed: neither one at the file nor those at names that it once had before", async () => {
  const outside = join(folder, "outside");
  writeFileSync(outside, "mine");
  const file = join(folder, "f");
  for (const end of ["", ".partial", ".part", ".new"]) symlinkSync(outside, `${file}${end}`);
  await replaceFile(file, "new", "same");
  expect([readFileSync(file, "utf8"), readFileSync(outside, "utf8")]).toEqual(["new", "mine"]);
});

test("two writers have a name each, and it can't be foretold", async () => {
  const file = join(folder, "f");
  const both = [await openReplacement(file, 0o600), await openReplacement(file, 0o600)];
  expect(readdirSync(folder)).toHaveLength(2);
  for (const { discard } of both) await discard();
  expect(readdirSync(folder)).toEqual([]);
});

test("the mode of the old file stays where it should", async () => {
  const file = join(folder, "f");
  writeFileSync(file, "old");
  chmodSync(file, 0o640);
  await replaceFile(file, "new", "same");
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test("what fails half way leaves the old file and nothing else", async () => {
  const file = join(folder, "f");
  writeFileSync(file, "old");
  const content = function* (): Generator<string> {
    yield "half";
    throw new Error("no more");
  };
  await expect(replaceFile(file, content(), "same")).rejects.toThrow("no more");
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["old", ["f"]]);
});

test("errors are about the file, not about the temporary name", async () => {
  const inNone = join(folder, "none", "f");
  const error: unknown = await replaceFile(inNone, "x", 0o600).catch((reason: unknown) => reason);
  expect(fileErrorText(error, inNone)).toBe("file not found; check the path");
  mkdirSync(join(folder, "d"));
  await expect(replaceFile(join(folder, "d"), "x", 0o600)).rejects.toThrow("it is a directory");
  await expect(replaceFile("/dev/null", "x", 0o600)).rejects.toThrow("it is not a regular file");
});

test("a link to a device, a pipe, or a folder stays", async () => {
  mkdirSync(join(folder, "d"));
  for (const [target, problem] of [
    ["/dev/null", "it is not a regular file"],
    [join(folder, "d"), "it is a directory"],
  ] as const) {
    const link = join(folder, "link");
    symlinkSync(target, link);
    await expect(replaceFile(link, "x", "same")).rejects.toThrow(problem);
    expect([readlinkSync(link), readdirSync(folder).sort()]).toEqual([target, ["d", "link"]]);
    rmSync(link);
  }
});
