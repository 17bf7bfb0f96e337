import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const scripts = ["house", "verify", "generate", "boundaries", "habits", "lint-overrides", "task"];

function run(script: string, ...args: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, "..", `${script}.ts`), ...args], {
    encoding: "utf8",
  });
}

test.each(scripts)("%s explains itself, and does nothing else", (script) => {
  const { status, stdout, stderr } = run(script, "--help");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^usage: (?:npm run|node scripts\/)/);
});

test("an option that a script does not have is named, with the usage", () => {
  const { status, stdout, stderr } = run("house", "--lst");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^Unknown option '--lst'[^]*\n\nusage: npm run task -- house/);
  expect(stderr).not.toContain("    at ");
});

test("a tree without packages is refused", () => {
  const { status, stderr } = run("house", "--tree", import.meta.dirname);
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--tree") as string,
  });
});
