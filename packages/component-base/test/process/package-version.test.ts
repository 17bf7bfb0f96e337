import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageVersion } from "@plimsoll/component-base/process";
import { expect, onTestFinished, test } from "vitest";

test.each<[object, string]>([
  [{ version: "0.1.0" }, "0.1.0"],
  [{ version: "0.1.0", gitHead: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d" }, "0.1.0+1a2b3c4d"],
  [{ name: "a" }, "unknown"],
])("of %j it is %s", async (description, expected) => {
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-version-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "package.json"), JSON.stringify(description));
  expect(await packageVersion(pathToFileURL(join(folder, "dist", "main.js")).href)).toBe(expected);
});
