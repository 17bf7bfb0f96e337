import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { startUpstream } from "../src/oracle/upstream.ts";

test("the oracle process gets one request at a time, keeps the order of members and ends when closed", async () => {
  const folder = testFolder();
  const upstream = startUpstream(await stubOracle(folder));
  const [first, second] = await Promise.all([
    upstream.run("quantity", [{ name: "one", input: "1" }]),
    upstream.run("quantity", [{ name: "two", input: "2" }]),
  ]);
  expect(JSON.stringify(first)).toBe('[{"name":"one","input":"1","canonical":"1"}]');
  expect(second).toEqual([{ name: "two", input: "2", canonical: "2" }]);
  await upstream.close();
});

test("an oracle that ends during a request is reported", async () => {
  const folder = testFolder();
  const upstream = startUpstream(await stubOracle(folder));
  await expect(upstream.run("behavior", [])).rejects.toThrow("ended during a request of kind behavior");
  await upstream.close();
});

/** Answers quantities with their own text, members sorted; leaves on any other kind. */
async function stubOracle(folder: string): Promise<string> {
  const path = join(folder, "oracle.mjs");
  await writeFile(
    path,
    `#!${process.execPath}
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const file = JSON.parse(line);
  if (file.kind !== "quantity") process.exit(1);
  const cases = file.cases.map(({ name, input }) => ({ canonical: input, input, name }));
  console.log(JSON.stringify({ ...file, cases }));
}
`,
  );
  await chmod(path, 0o755);
  return path;
}
