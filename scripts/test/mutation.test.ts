import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { equivalents } from "../mutation/equivalents.ts";
import { describe, equivalentOf, isDrawn } from "../mutation/mutants.ts";
import { count, intervalOf, line, scoreOf, sum } from "../mutation/score.ts";
import { root } from "../source/files.ts";

const mutantAt = (row: number) => ({
  id: String(row),
  fileName: `${root}/packages/kube/src/a.ts`,
  location: { start: { line: row, column: 1 }, end: { line: row, column: 9 } },
  mutatorName: "BooleanLiteral",
  replacement: "true",
});

test("a score counts what a test could kill: timeouts are kills, equivalents and loading code count for nothing", () => {
  const outcomes = (["Killed", "Timeout", "Survived", "NoCoverage", "Ignored"] as const).map((status) => ({
    status,
    isEquivalent: false,
  }));
  const counts = count([...outcomes, { status: "Survived", isEquivalent: true }]);
  expect(counts).toEqual({ killed: 2, survived: 1, uncovered: 1, equivalent: 1, untried: 1 });
  expect(scoreOf(counts)).toBe(50);
  expect(sum([counts, counts])).toMatchObject({ killed: 4, untried: 2 });
  expect(scoreOf(count([]))).toBeUndefined();
});

test("the score of a sample has the interval in which that of all mutants is, 19 times in 20", () => {
  const counts = { killed: 80, survived: 15, uncovered: 5, equivalent: 0, untried: 0 };
  expect(intervalOf(counts).map((end) => end.toFixed(1))).toEqual(["71.1", "86.7"]);
  expect(line("kube", counts, true)).toBe(
    "kube: 80.0 % (95 % confidence: 71.1 to 86.7 %); 80 killed, 15 survived, 5 without a test, 0 equivalent, 0 not tried",
  );
});

test("a seed draws the same mutants each time, and about as many as requested", () => {
  const drawn = (seed: number) =>
    Array.from({ length: 4000 }, (_, row) => row).filter((row) =>
      isDrawn(mutantAt(row), { percent: 5, seed }),
    );
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
  expect(drawn(1).length).toBeGreaterThan(150);
  expect(drawn(1).length).toBeLessThan(250);
});

test("Stryker's processes draw the same mutant, in whatever order its position is written", () => {
  const draws = Array.from({ length: 100 }, (_, row) => {
    const { location, ...mutant } = mutantAt(row);
    const turned = { start: { column: 1, line: row }, end: { column: 9, line: row } };
    const sample = { percent: 50, seed: 1 };
    return isDrawn({ ...mutant, location }, sample) === isDrawn({ ...mutant, location: turned }, sample);
  });
  expect(new Set(draws)).toEqual(new Set([true]));
});

test.each(equivalents)("$file still has its equivalent mutant of $code", ({ file, line: text, code }) => {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  expect(lines.map((one) => one.trim())).toContain(text);
  expect(text).toContain(code);
});

test("a mutant of the list is found by its code, and not where another part of the line changes", () => {
  const [one] = equivalents;
  const fileName = join(root, one?.file ?? "");
  const lines = readFileSync(fileName, "utf8").split("\n");
  const row = lines.findIndex((text) => text.trim() === one?.line);
  const column = (lines[row] ?? "").indexOf(one?.code ?? "");
  const at = (from: number) => ({
    ...mutantAt(row),
    fileName,
    location: {
      start: { line: row + 1, column: from },
      end: { line: row + 1, column: column + 1 + (one?.code.length ?? 0) },
    },
    replacement: one?.becomes ?? "",
  });
  expect(equivalentOf(at(column + 1))).toBe(one);
  expect(equivalentOf(at(column + 2))).toBeUndefined();
  expect(describe(at(column + 1))).toBe(
    `${one?.file}:${row + 1}:${column + 1}  ${one?.code}  →  ${one?.becomes}  in  ${one?.line}`,
  );
});
