import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const docs = new URL("../../../../docs/", import.meta.url);

interface Row {
  readonly line: string;
  readonly cells: readonly string[];
}

/** The rows of the tables below a heading, up to the next heading of its rank. */
async function rows(file: string, heading: string): Promise<readonly Row[]> {
  const text = await readFile(new URL(file, docs), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("| ---"))
    .slice(1)
    .map((line) => ({
      line,
      cells: line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    }));
}

/** Links to tests: the title, and the file it is in. */
function namedTests(cell: string): readonly (readonly [title: string, file: string])[] {
  return [...cell.matchAll(/\[((?:[^[\]]|\[[^\]]*\])+)\]\((\.\.\/packages\/[^)]+\.ts)\)/g)].map(
    ([, title = "", file = ""]) => [title.replaceAll("\\|", "|"), file],
  );
}

/** Whether a test file has a test of that title, which may have parameters in it. */
async function hasTest(file: string, title: string): Promise<boolean> {
  const text = await readFile(new URL(file, docs), "utf8");
  return text.includes(`${JSON.stringify(title)}, `) || text.includes(`${JSON.stringify(title)},\n`);
}

async function unknownTests(found: readonly Row[]): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const { cells } of found) {
    for (const [title, file] of namedTests(cells.at(-1) ?? "")) {
      if (!(await hasTest(file, title))) unknown.push(`${file}: ${title}`);
    }
  }
  return unknown;
}

test("each fault of the adapter names a test that exists, or says why there is none", async () => {
  const found = await rows("faults.md", "metrics-adapter\n");
  const range = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  expect(found.map(({ cells }) => cells[0])).toEqual([...range(1, 24), ...range(39, 50)]);
  const isSilent = ({ line, cells }: Row): boolean =>
    namedTests(cells.at(-1) ?? "").length === 0 && !line.includes("No test");
  expect(found.filter(isSilent)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});

test("each fault of sources and MetricRules names a test that exists", async () => {
  const found = await rows("faults.md", "Sources and MetricRules");
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(({ cells }) => namedTests(cells.at(-1) ?? "").length === 0)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});

test("each security rule of the adapter names a test that exists", async () => {
  const found = await rows("faults.md", "metrics-adapter: security rules");
  expect(found.length).toBeGreaterThan(8);
  expect(found.filter(({ cells }) => namedTests(cells.at(-1) ?? "").length === 0)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});

test("each difference from prometheus-adapter names a test that exists", async () => {
  const found = await rows("compatibility.md", "metrics-adapter");
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ cells }) => namedTests(cells.at(-1) ?? "").length === 0)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});
