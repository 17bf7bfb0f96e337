// What setup does with what is really on a machine: folders, links, caches, and other runs at the same time.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { root } from "../source/files.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-setup-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setup = join(root, "scripts/setup.mjs");
const moduleOf = (name: string) => pathToFileURL(join(root, "scripts/setup", name)).href;

/** A program of a shell script; its path. */
function program(path: string, script: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

interface Ending {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function node(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd = folder,
): Ending {
  return spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
}

const evaluated = (text: string, environment: Readonly<Record<string, string>> = {}) =>
  node(["--input-type=module", "-e", text], environment);

test("a folder is not a program, whether a variable names it or the PATH has it", () => {
  mkdirSync(join(folder, "opt/prometheus"), { recursive: true });
  const { status, stderr } = node([setup, "--prometheus", "--", "true"], {
    PROMETHEUS: join(folder, "opt/prometheus"),
  });
  expect(stderr).toMatch(/PROMETHEUS=.*\/opt\/prometheus is not a program; /);
  expect(status).toBe(1);
  const real = program("bin/prometheus", "exit 0");
  const find = `import { findOnPath } from "${moduleOf("programs.mjs")}"; console.log(findOnPath(["prometheus"]));`;
  const path = [join(folder, "opt"), join(folder, "bin")].join(delimiter);
  expect(evaluated(find, { PATH: path }).stdout.trim()).toBe(real);
});

test("a relative path of a variable is one of the folder in which npm was called", () => {
  program("here/prometheus", "exit 0");
  const { stdout } = node([setup, "--prometheus", "--", "node", "-p", "process.env.PROMETHEUS"], {
    PROMETHEUS: "./prometheus",
    INIT_CWD: join(folder, "here"),
  });
  expect(stdout.trim()).toBe(join(folder, "here/prometheus"));
});

test("the kubectl of the variable is the one that a command finds, whatever it is called", () => {
  const other = program("bin/kubectl", "echo the other one");
  const named = program("opt/kubectl-1.33", "echo the named one");
  const { stdout, stderr } = node([setup, "--kubectl", "--", "kubectl"], {
    KUBECTL: named,
    PATH: [join(other, ".."), process.env["PATH"]].join(delimiter),
    XDG_CACHE_HOME: join(folder, "cache"),
  });
  expect(`${stdout}${stderr}`).toBe("the named one\n");
});

test("a run that fetched the same package meanwhile does no harm", () => {
  const apt = "import { mkdirSync, writeFileSync } from 'node:fs';";
  const race = `${apt}
import { unpacked } from "${moduleOf("distribution.mjs")}";
console.log(unpacked("thing", (settings, { work }) => {
  mkdirSync(work + "/unpacked", { recursive: true });
  writeFileSync(work + "/unpacked/own", "");
  mkdirSync(process.env.XDG_CACHE_HOME + "/plimsoll/thing", { recursive: true });
  writeFileSync(process.env.XDG_CACHE_HOME + "/plimsoll/thing/others", "");
}, () => {}));`;
  const cache = join(folder, "cache");
  const { stdout, stderr } = evaluated(race, { XDG_CACHE_HOME: cache });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe(join(cache, "plimsoll/thing"));
  expect(readdirSync(join(cache, "plimsoll"))).toEqual(["thing"]);
});

test("a cache that cannot be written is a reason, with what to set", () => {
  writeFileSync(join(folder, "file"), "");
  const fetch = `import { unpackedPackage } from "${moduleOf("distribution.mjs")}";
try { unpackedPackage("prometheus"); } catch (error) { console.log(error.constructor.name, error.message); }`;
  const { stdout } = evaluated(fetch, { XDG_CACHE_HOME: join(folder, "file") });
  expect(stdout).toMatch(/^FetchFailed .*\/file\/plimsoll cannot be made .*; set XDG_CACHE_HOME to a folder/);
});

test("a Chromium whose package has no program, as Ubuntu's, is none", () => {
  const find = `import { chromium } from "${moduleOf("wanted.mjs")}";
try { chromium.fromPackage({ unpackedPackage: () => ${JSON.stringify(folder)} }); } catch (error) { console.log(error.constructor.name, error.message); }`;
  expect(evaluated(find).stdout).toMatch(/^FetchFailed the package has no program/);
});

/** A clone of nothing, whose pnpm notes its runs and takes a while for each. */
function emptyClone(pnpm: string): Readonly<Record<string, string>> {
  for (const name of ["packages", "tools"]) mkdirSync(join(folder, name));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) writeFileSync(join(folder, name), "one");
  writeFileSync(join(folder, "package.json"), '{ "packageManager": "pnpm@1.2.3" }');
  program("node_modules/.bin/node", "exit 0");
  program("bin/pnpm", `[ "$1" = --version ] && echo 1.2.3 && exit\n${pnpm}`);
  return { PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter) };
}

const install = () =>
  `import { installDependencies } from "${moduleOf("dependencies.mjs")}"; installDependencies(${JSON.stringify(folder)});`;

test("an installation that was interrupted is not taken for the one before it", () => {
  const environment = emptyClone("[ -e fails ] && exit 1\necho run >> runs");
  expect(evaluated(install(), environment).status).toBe(0);
  writeFileSync(join(folder, "pnpm-lock.yaml"), "two");
  writeFileSync(join(folder, "fails"), "");
  expect(evaluated(install(), environment).status).not.toBe(0);
  rmSync(join(folder, "fails"));
  writeFileSync(join(folder, "pnpm-lock.yaml"), "one");
  expect(evaluated(install(), environment).status).toBe(0);
  expect(readFileSync(join(folder, "runs"), "utf8")).toBe("run\nrun\n");
});

test("two commands in a fresh clone install once, and a lock of a process that is gone is no obstacle", async () => {
  // The second one arrives while the first one installs.
  const environment = emptyClone("echo run >> runs; until [ -e go ]; do :; done");
  writeFileSync(join(folder, "node_modules/.plimsoll-installing"), "999999999");
  const start = () =>
    spawn(process.execPath, ["--input-type=module", "-e", install()], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const first = start();
  await once(first.stderr, "data");
  const second = start();
  await once(second.stderr, "data");
  writeFileSync(join(folder, "go"), "");
  const ends = await Promise.all([first, second].map((run) => once(run, "exit")));
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(readFileSync(join(folder, "runs"), "utf8")).toBe("run\n");
  expect(existsSync(join(folder, "node_modules/.plimsoll-installing"))).toBe(false);
});

test("without npx it says that it is missing", () => {
  const environment = { ...emptyClone("exit 1"), PATH: join(folder, "nothing") };
  expect(evaluated(install(), environment).stderr).toMatch(/cannot start npx: .*; install Node with its npm/);
});

test("nothing that an older Node lacks is used before its version is checked", () => {
  const early = [
    setup,
    ...["dependencies", "find", "foreign", "go", "wanted", "distribution", "system", "programs"].map((name) =>
      join(root, "scripts/setup", `${name}.mjs`),
    ),
  ];
  // Node 18 and 20.10 have no import.meta.dirname.
  expect(early.filter((file) => readFileSync(file, "utf8").includes("import.meta.dirname"))).toEqual([]);
});
