import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { circleViolations, fileCircles, importViolations, tableViolations } from "../boundaries/check.ts";
import { describePackages } from "../boundaries/drawing.ts";
import { rows } from "../boundaries/table.ts";
import { withGenerated } from "../generate/page.ts";
import { packageFolders } from "../source/files.ts";
import { parseSource } from "../source/parse.ts";

const complaints = (path: string, text: string) => importViolations([parseSource(path, text)]);

test.each([
  ["a package that is not in the row", "packages/core/src/a.ts", 'import { b } from "@plimsoll/kube";'],
  ["a type of such a package", "packages/core/src/a.ts", 'import type { B } from "@plimsoll/kube";'],
  ["a type in place", "packages/core/src/a.ts", 'export type A = import("@plimsoll/kube").B;'],
  ["a re-export", "packages/core/src/a.ts", 'export * from "@plimsoll/kube";'],
  ["an import at run time", "packages/core/src/a.ts", 'await import("@plimsoll/kube");'],
  [
    "a whole package where one entry is allowed",
    "packages/kube/src/a.ts",
    'import { b } from "@plimsoll/core";',
  ],
  ["another package by path", "packages/kube/src/a.ts", 'import { b } from "../../core/src/b.ts";'],
  ["a test from the source", "packages/kube/src/a.ts", 'import { b } from "../test/b.ts";'],
  ["doubles in the source", "packages/observe/src/a.ts", 'import { b } from "@plimsoll/kube/testing";'],
  ["own doubles in the source", "packages/kube/src/a.ts", 'import { b } from "./testing/b.ts";'],
  ["a process from the CLI", "packages/cli/src/a.ts", 'import { b } from "@plimsoll/autoscaler";'],
  [
    "a process from the CLI's tests",
    "packages/cli/test/a.ts",
    'import { b } from "@plimsoll/metrics-adapter";',
  ],
  ["the package itself by name", "packages/kube/src/a.ts", 'import { b } from "@plimsoll/kube/serving";'],
  ["a library with another home", "packages/observe/src/a.ts", 'import k from "@kubernetes/client-node";'],
  ["Node where a browser runs it", "packages/core/src/a.ts", 'import { readFileSync } from "node:fs";'],
  ["a source beside the tests of e2e", "tools/e2e/src/a.ts", 'import { b } from "./b.ts";'],
  ["a package without a row", "packages/other/src/a.ts", ""],
])("refuses %s", (_, path, text) => {
  expect(complaints(path, text)).toHaveLength(1);
});

test.each([
  ["a package of the row", "packages/observe/src/a.ts", 'import { b } from "@plimsoll/kube/serving";'],
  ["an entry of the row", "packages/kube/src/a.ts", 'import { b } from "@plimsoll/core/selector";'],
  ["the own package in a test", "packages/kube/test/a.ts", 'import { b } from "@plimsoll/kube";'],
  ["doubles in a test", "packages/observe/test/a.ts", 'import { b } from "@plimsoll/kube/testing";'],
  ["doubles in doubles", "packages/observe/src/testing/a.ts", 'import { b } from "@plimsoll/kube/testing";'],
  ["own doubles in their entry", "packages/kube/src/testing.ts", 'export { b } from "./testing/b.ts";'],
  ["any library in a test", "packages/core/test/a.ts", 'import k from "@kubernetes/client-node";'],
  ["everything in e2e", "tools/e2e/test/a.ts", 'import { b } from "@plimsoll/autoscaler";'],
  [
    "text that only looks like an import",
    "packages/core/src/a.ts",
    'export const a = `import "@plimsoll/kube";`;',
  ],
])("allows %s", (_, path, text) => {
  expect(complaints(path, text)).toEqual([]);
});

test("says file, line and target", () => {
  expect(complaints("packages/core/src/a.ts", '\nimport { b } from "@plimsoll/kube";')).toEqual([
    'packages/core/src/a.ts:2: "@plimsoll/kube" is not in the row of core in scripts/boundaries/table.ts',
  ]);
});

test("finds circles that only types close", () => {
  const files = [
    parseSource("tools/release/src/images/a.ts", 'import type { B } from "./b.ts";'),
    parseSource("tools/release/src/images/b.ts", 'export { c } from "./c.ts";'),
    parseSource("tools/release/src/images/c.ts", 'export type C = import("./a.ts").A;'),
    parseSource("tools/release/src/images/d.ts", 'import { a } from "./a.ts";'),
  ];
  const circle = ["a", "b", "c"].map((name) => `tools/release/src/images/${name}.ts`);
  expect(fileCircles(files)).toEqual([circle]);
  expect(circleViolations(files)).toEqual([`circle of files: ${circle.join(" ↔ ")}`]);
});

test("the table has no arrow up, and public packages import public ones", () => {
  const folders = rows.map(({ folder = "packages", name }) => `${folder}/${name}`);
  expect(tableViolations(folders)).toEqual([]);
  expect(tableViolations(folders.slice(1))).toEqual(["packages/core has a row and does not exist"]);
});

test("what git leaves of a package that moved is not a package", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-packages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of ["packages/demo/node_modules", "tools/demo", "docs/site"])
    mkdirSync(join(folder, path), { recursive: true });
  for (const path of ["tools/demo", "docs/site"]) writeFileSync(join(folder, path, "package.json"), "{}");
  expect(packageFolders(folder)).toEqual(["docs/site", "tools/demo"]);
});

test("draws packages that exist, and no arrow that follows from others", () => {
  const text = describePackages([
    { name: "a", what: "first", mayImport: [] },
    { name: "b", what: "second", mayImport: ["a/entry"] },
    { name: "c", what: "third", mayImport: ["a", "b", "absent"] },
  ]);
  expect(text).toContain("  b --> a\n  c --> b\n```");
  expect(text).toContain("| `b` | second | `a/entry` |");
  expect(text).toContain("| `c` | third | `a`, `b` |");
});

test("replaces what is between the markers and nothing else", () => {
  const page = "before\n<!-- generated: x -->\nold\n<!-- end of x -->\nafter\n";
  const fresh = withGenerated(page, "x", "new");
  expect(fresh).toBe("before\n<!-- generated: x -->\n\nnew\n\n<!-- end of x -->\nafter\n");
  expect(withGenerated(fresh, "x", "new")).toBe(fresh);
  expect(() => withGenerated("", "x", "new")).toThrow("no <!-- generated: x -->");
});
