import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const docs = new URL("../../../../docs/", import.meta.url);

interface Row {
  readonly page: URL;
  readonly line: string;
  readonly cells: readonly string[];
}

/** The rows of the tables below a heading, up to the next heading of its rank, without the headings of the tables. */
async function rows(file: string, heading: string): Promise<readonly Row[]> {
  const page = new URL(file, docs);
  const text = await readFile(page, "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter(
      (line, at, all) =>
        line.startsWith("| ") && ![line, all[at + 1]].some((one) => one?.startsWith("| ---")),
    )
    .map((line) => ({
      page,
      line,
      cells: line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    }));
}

/** Links to tests: the title, and the file it is in. */
function namedTests(cell: string): readonly (readonly [title: string, file: string])[] {
  return [
    ...cell.matchAll(/\[((?:[^[\]]|\[[^\]]*\])+)\]\(((?:\.\.\/)+(?:packages|tools)\/[^)]+\.ts)\)/g),
  ].map(([, title = "", file = ""]) => [title.replaceAll("\\|", "|"), file]);
}

/** Whether a test file has a test of that title, which may have parameters in it. */
async function hasTest(file: URL, title: string): Promise<boolean> {
  const text = await readFile(file, "utf8");
  return text.includes(`${JSON.stringify(title)}, `) || text.includes(`${JSON.stringify(title)},\n`);
}

async function unknownTests(found: readonly Row[]): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const { page, cells } of found) {
    for (const [title, file] of namedTests(cells.at(-1) ?? "")) {
      if (!(await hasTest(new URL(file, page), title))) unknown.push(`${file}: ${title}`);
    }
  }
  return unknown;
}

test("each fault of the adapter names a test that exists, or says why there is none", async () => {
  const found = await rows("developers/faults.md", "metrics-adapter\n");
  const range = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  expect(found.map(({ cells }) => cells[0])).toEqual([...range(1, 24), ...range(39, 50)]);
  const isSilent = ({ line, cells }: Row): boolean =>
    namedTests(cells.at(-1) ?? "").length === 0 && !line.includes("No test");
  expect(found.filter(isSilent)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});

test("each fault of sources and MetricRules names a test that exists", async () => {
  const found = await rows("developers/faults.md", "Sources and MetricRules");
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(({ cells }) => namedTests(cells.at(-1) ?? "").length === 0)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});

test("each security rule of the adapter names a test that exists", async () => {
  const found = await rows("developers/faults.md", "metrics-adapter: security rules");
  expect(found.length).toBeGreaterThan(8);
  expect(found.filter(({ cells }) => namedTests(cells.at(-1) ?? "").length === 0)).toEqual([]);
  expect(await unknownTests(found)).toEqual([]);
});

test("each difference from prometheus-adapter links to its tests, which exist", async () => {
  const found = await rows("compatibility.md", "metrics-adapter\n");
  const pinned = await rows("developers/differences.md", "metrics-adapter\n");
  expect(found.length).toBeGreaterThan(40);
  expect(found).toHaveLength(pinned.length);
  for (const [at, { cells }] of found.entries()) {
    const [row = "", titles = ""] = pinned[at]?.cells ?? [];
    const files = namedTests(titles).map(([, file]) => file.slice("../".length));
    const links = [...(cells.at(-1) ?? "").matchAll(/\]\(([^)]+\.ts)\)/g)].map(([, file]) => file);
    expect([cells[0]?.slice(0, row.length), links]).toEqual([row, [...new Set(files)]]);
    expect(links).not.toEqual([]);
  }
  expect(await unknownTests(pinned)).toEqual([]);
});
