// Dashboards by Grafana's own types, as its foundation SDK has them.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDashboardCheck, runToEnd } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, test } from "vitest";
import { root } from "./operator.ts";

const folder = fileFolder();
const files = globSync(join(root, "deploy/dashboards/*.json")).sort();
let program: string;

beforeAll(async () => {
  program = await findDashboardCheck((line) => process.stderr.write(`tools: ${line}\n`));
});

/** What is wrong, without the names of files. */
async function problemsOf(...paths: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await runToEnd(program, paths);
  expect(stderr).toBe("");
  const lines = stdout.split("\n").filter((line) => line !== "");
  // Grafana exports a variable without a choice so, and chooses when it opens the dashboard.
  const isUnchosen = /: templating\.list\[\d+\]\.current\.(?:text|value): required field is missing/;
  return lines.filter((line) => !isUnchosen.test(line)).map((line) => line.replace(/^.*?\.json: /, ""));
}

test("every field of every dashboard is one of Grafana's, and of its type", async () => {
  expect(files.length).toBe(3);
  expect(await problemsOf(...files)).toEqual([]);
});

test.each([
  ["a field that is none", '"graphTooltip"', '"graphTooltips"', /unexpected field 'graphTooltips'/],
  [
    "an option of another kind of panel",
    '"graphMode"',
    '"fillOpacity"',
    /options\..*: unexpected field 'fillOpacity'/,
  ],
  ["a value of another type", '"schemaVersion": 39', '"schemaVersion": "39"', /schemaVersion: .*string/],
])("%s is found", async (_, from, to, problem) => {
  const [first = ""] = files;
  const wrong = join(folder, "wrong.json");
  const text = readFileSync(first, "utf8");
  expect(text).toContain(from);
  writeFileSync(wrong, text.replace(from, to));
  expect((await problemsOf(wrong)).filter((line) => problem.test(line))).not.toEqual([]);
});
