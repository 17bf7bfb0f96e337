import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { readVersion } from "../src/version.ts";

/** A clone with packages of these versions, and one commit of a known time. */
function clone(versions: Readonly<Record<string, string>>): string {
  const root = testFolder();
  writeFileSync(join(root, "package.json"), JSON.stringify({ version: "1.2.3" }));
  for (const [name, version] of Object.entries(versions)) {
    mkdirSync(join(root, "packages", name), { recursive: true });
    writeFileSync(join(root, "packages", name, "package.json"), JSON.stringify({ version }));
  }
  const at = "2026-01-02T03:04:05Z";
  const user = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    [...user, "commit", "-qm", "all"],
  ]) {
    execFileSync("git", args, { cwd: root, env: { ...process.env, GIT_COMMITTER_DATE: at } });
  }
  return root;
}

test("a release has the version of all packages, the commit and its time", () => {
  const root = clone({ core: "1.2.3", cli: "1.2.3" });
  // What git leaves of a package that moved.
  mkdirSync(join(root, "packages/demo"));
  expect(readVersion(root)).toEqual({
    version: "1.2.3",
    revision: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    epochSeconds: Date.parse("2026-01-02T03:04:05Z") / 1000,
    isChanged: false,
  });
});

test("a changed file is reported", () => {
  const root = clone({ core: "1.2.3" });
  writeFileSync(join(root, "README.md"), "new");
  expect(readVersion(root).isChanged).toBe(true);
});

test("a package with another version is named", () => {
  const root = clone({ core: "1.2.3", cli: "1.3.0" });
  expect(() => readVersion(root)).toThrow(
    "package.json has version 1.2.3, but packages/cli 1.3.0: give all of them one version",
  );
});
