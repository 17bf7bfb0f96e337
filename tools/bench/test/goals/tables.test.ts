import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { fillPage } from "../../src/goals/page.ts";
import {
  atLeast,
  atMost,
  type GoalResult,
  readResults,
  shown,
  storeResults,
  withUnit,
} from "../../src/goals/result.ts";
import { markdownTable, textTable } from "../../src/goals/table.ts";

const machine = {
  commit: "0123abcd",
  at: "2026-11-28T12:00Z",
  cpu: "a processor",
  cores: 2,
  node: "24.0.0",
  load: [1.5, 2],
} as const;

function result(changes: Partial<GoalResult> = {}): GoalResult {
  return {
    id: "G5",
    title: "Requests",
    command: "npm run bench -- g5",
    peer: undefined,
    rows: [
      atMost(2, { what: "pods/*, warm", value: 1.234, unit: "×", floor: "20 µs" }),
      atMost(3, { what: "pods/*, cold", value: 3.4567, unit: "×", also: "70 µs", floor: "20 µs" }),
    ],
    notes: [],
    machine,
    ...changes,
  };
}

test("a row is met on its bound, and missed beyond it", () => {
  const row = { what: "x", unit: "s" };
  expect(atMost(1, { ...row, value: 1 })).toMatchObject({ goal: "≤ 1 s", isMet: true });
  expect(atMost(1, { ...row, value: 1.001 })).toMatchObject({ measured: "1 s", isMet: false });
  expect(atLeast(1, { ...row, value: 1 })).toMatchObject({ goal: "≥ 1 s", isMet: true });
  expect(atLeast(1, { ...row, value: 0.5 })).toMatchObject({ isMet: false });
  expect(shown({ ...row, value: 1 })).toEqual({
    what: "x",
    measured: "1 s",
    floor: undefined,
    peer: undefined,
  });
});

test("what was not measured misses its goal", () => {
  expect(atMost(1, { what: "x", unit: "s", value: NaN })).toMatchObject({
    measured: "not measured",
    isMet: false,
  });
  expect(atLeast(1, { what: "x", unit: "s", value: NaN })).toMatchObject({ isMet: false });
  expect(withUnit(Infinity, "s")).toBe("not measured");
});

test("figures have three digits", () => {
  expect([0.00123456, 12.345, 123.456, 10_000].map((value) => withUnit(value, "MB"))).toEqual([
    "0.0012 MB",
    "12.3 MB",
    "123 MB",
    "10,000 MB",
  ]);
});

test("a table has the columns that its rows have, and what it was measured on", () => {
  expect(textTable(result()).split("\n")).toEqual([
    "G5  Requests",
    "                measured        floor  goal   result",
    "  pods/*, warm  1.23 ×          20 µs  ≤ 2 ×  met",
    "  pods/*, cold  3.46 × (70 µs)  20 µs  ≤ 3 ×  missed",
    "  commit 0123abcd, 2026-11-28T12:00Z, 2 cores of a processor, Node 24.0.0, load average 1.5 before and 2 after",
  ]);
});

test("the page's table marks what is missed, and its stars are text", () => {
  const lines = markdownTable(result({ notes: ["a note"] })).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "|  | measured | floor | goal | result |",
    "| --- | --- | --- | --- | --- |",
    "| pods/\\*, warm | 1.23 × | 20 µs | ≤ 2 × | met |",
    "| pods/\\*, cold | 3.46 × (70 µs) | 20 µs | ≤ 3 × | **missed** |",
  ]);
  expect(lines.at(-1)).toMatch(/^`npm run bench -- g5`; commit 0123abcd, .* a note\.$/);
});

test("a peer has a column of its own", () => {
  const rows = [shown({ what: "x", value: 1, unit: "s", peer: "9 s" })];
  expect(markdownTable(result({ peer: "other", rows }))).toContain("| x | 1 s | 9 s |  |  |");
});

test("a page takes the results between its marks, and nothing else changes", () => {
  const page = "# P\n\n<!-- table G5 -->\nold\n<!-- end -->\n\ntext\n\n<!-- table G6 -->\n<!-- end -->\n";
  const filled = fillPage(page, [result()]);
  expect(filled).toContain(`<!-- table G5 -->\n\n${markdownTable(result())}\n\n<!-- end -->\n\ntext`);
  expect(filled).toContain("<!-- table G6 -->\n\nNot measured yet: `npm run bench -- g6`.\n\n<!-- end -->");
  expect(fillPage(filled, [result()])).toBe(filled);
  expect(() => fillPage(page, [result({ id: "G1" })])).toThrow("no place for G1");
});

test("a file of results keeps the goals that were not measured again", () => {
  const folder = testFolder();
  const file = join(folder, "results.json");
  expect(readResults(file)).toEqual([]);
  storeResults(file, [result(), result({ id: "G9" })]);
  storeResults(file, [result({ title: "newer" }), result({ id: "G1" })]);
  expect(readResults(file).map(({ id, title }) => [id, title])).toEqual([
    ["G1", "Requests"],
    ["G5", "newer"],
    ["G9", "Requests"],
  ]);
});
