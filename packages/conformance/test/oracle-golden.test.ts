import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { kinds } from "../src/oracle/vector-file.ts";
import { checkVectorFile } from "../src/vectors/check-file.ts";

const folder = new URL("../vectors/golden/", import.meta.url);

test("there is a golden file of every kind", async () => {
  expect((await readdir(folder)).sort()).toEqual(kinds.map((kind) => `${kind}.json`).sort());
});

test.each(kinds)("what the real controller answered holds: %s", async (kind) => {
  const file: { cases: unknown[] } = JSON.parse(await readFile(new URL(`${kind}.json`, folder), "utf8"));
  const { passed, differences } = checkVectorFile(file);
  expect(differences).toEqual([]);
  expect(passed).toBe(file.cases.length);
  expect(passed).toBeGreaterThan(100);
});
