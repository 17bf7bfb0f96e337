import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { hashInputs, isCurrent, isInput, stampFile } from "../../build/inputs.ts";

const root = new URL("../../../../", import.meta.url).pathname;

test("a build is current while it was made from what is there", () => {
  const folder = testFolder();
  expect(isCurrent(folder)).toBe(false);
  mkdirSync(join(folder, ".vite"));
  for (const [stamp, expected] of [
    ["", false],
    ["0".repeat(64), false],
    [hashInputs(), true],
  ] as const) {
    writeFileSync(join(folder, stampFile), stamp);
    expect([stamp, isCurrent(folder)]).toEqual([stamp, expected]);
  }
});

test.each([
  ["packages/console/src/main.tsx", true],
  ["packages/console/index.html", true],
  ["packages/core/src/decide/cooldown.ts?part", true],
  ["packages/console/src-of-another/main.tsx", false],
  ["packages/kube/src/index.ts", false],
  ["packages/console/node_modules/preact/dist/preact.module.js", true],
])("%s counts: %s", (name, expected) => {
  expect(isInput(`${root}${name}`)).toBe(expected);
});
