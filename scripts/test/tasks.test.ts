import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import config from "../../vitest.config.ts";
import { root, workspaces } from "../source/files.ts";
import { npmArgs, runnable, setupArgs, tasks } from "../tasks.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const commands = Object.values(tasks).map(({ command = "" }) => command);

function task(...args: readonly string[]) {
  const script = join(root, "scripts/task.ts");
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
}

test("every command that a page, a comment or a message names is a script or a task", () => {
  const folders = `{scripts,docs,deploy,examples,.github,${workspaces.slice(1, -1)}}`;
  const files = globSync(["*.md", ".changeset/*.md", `${folders}/**/*.{md,ts,tsx,mjs}`], {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  }).filter((path) => path !== "CHANGELOG.md");
  const named = files.flatMap((path) =>
    [...read(path).matchAll(/\bnpm (?:--prefix \S+ )?run (?:-s )?([a-z][\w-]*)(?: -- ([a-z][\w-]*))?/g)].map(
      ([words, script = "", name]) => ({
        text: `${path}: ${words}`,
        isThere:
          scripts[script] !== undefined &&
          (script !== "task" || name === undefined || runnable.includes(name)),
      }),
    ),
  );
  expect(named.length).toBeGreaterThan(300);
  expect(named.filter(({ isThere }) => !isThere).map(({ text }) => text)).toEqual([]);
});

test("every script brings its own Node, and a task without a command is a script", () => {
  expect(Object.values(scripts).filter((text) => !text.startsWith("node scripts/setup.mjs "))).toEqual([]);
  const others = Object.keys(tasks).filter((name) => !runnable.includes(name));
  expect(others.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("every task runs a file of the tree, or a suite of the vitest config", () => {
  const files = commands.flatMap((command) => command.split(" ")).filter((word) => word.includes("/"));
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const modes = commands.flatMap((command) => /^vitest run --mode (\S+)/.exec(command)?.slice(1) ?? []);
  expect(modes.length).toBeGreaterThan(5);
  for (const mode of modes) expect(() => config({ mode, command: "serve" })).not.toThrow();
  expect(() => config({ mode: "nosuch", command: "serve" })).toThrow('no suite "nosuch"');
});

test("arguments follow the command of the task", () => {
  const one = { shows: "", needs: "--here --cached", command: "node one.ts" };
  expect(setupArgs(one, ["--seed", "1 2"])).toEqual([
    "--here",
    "--cached",
    "--",
    "node",
    "one.ts",
    "--seed",
    "1 2",
  ]);
  expect(npmArgs("one", one, "--seed 1")).toEqual(["run", "task", "--", "one", "--seed", "1"]);
  expect(npmArgs("test", { shows: "" })).toEqual(["test"]);
  expect(npmArgs("demo", { shows: "" }, "--fast")).toEqual(["run", "demo", "--", "--fast"]);
});

test("the list has every task, in 80 columns", () => {
  const { status, stdout } = task();
  expect(status).toBe(0);
  const lines = stdout.split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.flatMap((line) => /^([a-z][\w-]*)  /.exec(line)?.slice(1) ?? [])).toEqual(runnable);
});

test.each([
  ["hous", "npm run task -- house"],
  ["bench:core", "npm run task -- bench-core"],
  ["verify", "npm run verify"],
])("the unknown task %s ends with 2 and names the nearest command", (name, nearest) => {
  const { status, stdout, stderr } = task(name);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toBe(`no task "${name}": did you mean "${nearest}"? "npm run task" lists all tasks.\n`);
});

test("a task gets its arguments, and its exit code is that of the run", () => {
  expect(task("house", "--lst")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--lst") as string,
  });
});
