import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageVersion } from "@plimsoll/component-base/process";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";

test.each<[object, string]>([
  [{ version: "0.1.0" }, "0.1.0"],
  [{ version: "0.1.0", gitHead: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d" }, "0.1.0+1a2b3c4d"],
  [{ name: "a" }, "unknown"],
])("of %j it is %s", async (description, expected) => {
  const folder = testFolder();
  await writeFile(join(folder, "package.json"), JSON.stringify(description));
  expect(await packageVersion(pathToFileURL(join(folder, "dist", "main.js")).href)).toBe(expected);
});
