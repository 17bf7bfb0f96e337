import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { writeChart } from "../src/deploy.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

test("the chart has the files of its folder and the version of the release, without Helm", async () => {
  const folder = testFolder();
  // Of the chart's folder "ci", not of one above it.
  const checkout = join(testFolder(), "ci");
  cpSync(join(root, "deploy/chart"), join(checkout, "deploy/chart"), { recursive: true });
  const release = { version: "1.2.3", revision: "a", epochSeconds: 1_700_000_000, isChanged: false };
  await writeChart(checkout, folder, release);
  execFileSync("tar", ["-xzf", "plimsoll-1.2.3.tgz"], { cwd: folder });
  const chart = join(folder, "plimsoll");
  const filesOf = (place: string): readonly string[] =>
    globSync("**/*", { cwd: place, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
      .filter((path) => !path.startsWith("ci/"))
      .toSorted();
  const source = join(root, "deploy/chart/plimsoll");
  expect(filesOf(chart)).toEqual(filesOf(source));
  expect(globSync("ci/*", { cwd: chart })).toEqual([]);
  const read = (place: string): object => parse(readFileSync(join(place, "Chart.yaml"), "utf8")) as object;
  expect(read(chart)).toEqual({ ...read(source), version: "1.2.3", appVersion: "1.2.3" });
});
