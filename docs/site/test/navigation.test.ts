import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { pages, sections } from "../src/navigation.ts";

const docs = resolve(import.meta.dirname, "../..");

test("each page of docs has one place in the navigation, and no other page has", () => {
  const files = globSync("**/*.md", { cwd: docs, exclude: ["site/**"] }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  expect(pages.map(({ path }) => path).toSorted()).toEqual(files.toSorted());
});

test("titles are short and different, and sections are in the order for readers", () => {
  const titles = pages.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.filter((title) => title === "" || title.length > 32)).toEqual([]);
  expect(sections.map(({ title }) => title)).toEqual([
    "Start",
    "Tutorials",
    "How-to guides",
    "Reference",
    "Explanation",
  ]);
});

test("pages are plain: a heading of the first level, and nothing that only the site understands", () => {
  const wrong = pages.filter(({ path }) => {
    const text = readFileSync(join(docs, path), "utf8").replaceAll(/^ *```[^]*?^ *```$/gm, "");
    const hasHeading = (text.match(/^# /gm) ?? []).length === 1;
    return !hasHeading || /^---\n|^:::|^<<<|\[\[toc\]\]/im.test(text);
  });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});
