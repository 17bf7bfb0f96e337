import { expect, test } from "vitest";
import { anchorOf } from "../src/anchors.ts";
import { linkOf, repositoryAddress } from "../src/links.ts";

const there: Readonly<Record<string, "file" | "folder">> = {
  "docs/cli.md": "file",
  "docs/images/demo.png": "file",
  "docs/adr": "folder",
  "docs/adr/README.md": "file",
  "docs/adr/0010-one-decide.md": "file",
  "packages/core/README.md": "file",
  "packages/core": "folder",
};
const repository = "https://example.com/plimsoll";
const context = (page: string) => ({ page, repository, kindOf: (path: string) => there[path] });

test.each([
  ["to a page", "install.md", "cli.md", "cli.md"],
  ["to a heading of a page", "install.md", "cli.md#exit-codes", "cli.md#exit-codes"],
  ["to a heading of the same page", "install.md", "#values", "#values"],
  ["to the index of a folder", "install.md", "adr/README.md", "adr/index.md"],
  ["to the index of its own folder", "adr/0010-one-decide.md", "README.md#open", "index.md#open"],
  ["up to a page", "adr/README.md", "../cli.md", "../cli.md"],
  [
    "out of docs",
    "install.md",
    "../packages/core/README.md",
    `${repository}/blob/HEAD/packages/core/README.md`,
  ],
  ["out of docs, deeper", "adr/README.md", "../../packages/core/", `${repository}/tree/HEAD/packages/core`],
  [
    "out of docs, to a heading",
    "install.md",
    "../packages/core/README.md#use",
    `${repository}/blob/HEAD/packages/core/README.md#use`,
  ],
  [
    "to a file of docs that is not a page",
    "cli.md",
    "images/demo.png",
    `${repository}/blob/HEAD/docs/images/demo.png`,
  ],
  ["to another site", "install.md", "https://example.org/a.md", "https://example.org/a.md"],
  ["by mail", "install.md", "mailto:a@example.org", "mailto:a@example.org"],
])("a link %s", (_, page, target, expected) => {
  expect(linkOf(target, context(page))).toBe(expected);
});

test("a link to what does not exist is an error that names the page", () => {
  expect(() => linkOf("../nothing.md", context("install.md"))).toThrow(
    "docs/install.md: the link ../nothing.md leads to nothing.md, which does not exist",
  );
});

test("the address is that of package.json", () => {
  expect(repositoryAddress("git+https://github.com/plimsoll/plimsoll.git")).toBe(
    "https://github.com/plimsoll/plimsoll",
  );
  expect(() => repositoryAddress("git@github.com:plimsoll/plimsoll.git")).toThrow(
    "package.json: repository.url",
  );
});

test.each([
  ["Exit codes", "exit-codes"],
  ["What is *not* there?", "what-is-not-there"],
  ["`--record-inputs` and `explain`", "--record-inputs-and-explain"],
  ["HTTP/1.1 only", "http11-only"],
  ["A — B", "a--b"],
  ["snake_case", "snake_case"],
])("the anchor of %s", (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});
