import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { kinds } from "../src/oracle/vector-file.ts";
import { checkVectorFile } from "../src/vectors/check-file.ts";

const folder = new URL("../vectors/", import.meta.url);

test("there is a golden file of every kind", async () => {
  const names = await readdir(new URL("golden/", folder));
  expect(names).toEqual(expect.arrayContaining(kinds.map((kind) => `${kind}.json`)));
});

test.each(await vectorFiles())("the real controller's results hold: %s", async (name) => {
  const file: { cases: unknown[] } = JSON.parse(await readFile(new URL(name, folder), "utf8"));
  const { passed, differences } = checkVectorFile(file);
  expect(differences).toEqual([]);
  expect(passed).toBe(file.cases.length);
  expect(passed).toBeGreaterThan(0);
});

/** Goldens, and the shrunk cases of every mismatch there ever was. */
async function vectorFiles(): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /^(golden|found)\/.*\.json$/.test(name)).sort();
}
