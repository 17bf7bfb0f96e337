// The command line as npm has it: one file, both names, with the licenses of what is in it.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, test } from "vitest";
import { missingOfPage, type Sbom } from "./bill-of-page.ts";

const run = promisify(execFile);
// As a program of its own, because a library in it wants the console of the runtime.
const program = fileURLToPath(new URL("../../src/images/package-cli.ts", import.meta.url));

const folder = fileFolder();
beforeAll(async () => {
  await run(process.execPath, [program, join(folder, "package"), "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"]);
});

test("an option prints the usage and makes no folder", () => {
  const { status, stderr } = spawnSync(process.execPath, [program, "--help"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^usage: /) as string });
  expect(existsSync(join(folder, "--help"))).toBe(false);
});

const inside = (path: string): string => join(folder, "package", path);

test("both names are the one program, which says its version and commit wherever it is installed", async () => {
  const description = JSON.parse(readFileSync(inside("package.json"), "utf8")) as {
    readonly version: string;
    readonly bin: Readonly<Record<string, string>>;
  };
  expect(Object.keys(description.bin)).toEqual(["plimsoll", "kubectl-plimsoll"]);
  // npm links the programs into a folder on the PATH.
  for (const [name, path] of Object.entries(description.bin)) {
    symlinkSync(inside(path), join(folder, name));
    const { stdout } = await run(join(folder, name), ["--version"]);
    expect(stdout).toBe(`${description.version}+1a2b3c4d\n`);
  }
  const { stdout } = await run(join(folder, "kubectl-plimsoll"), ["replay", "--help"]);
  expect(stdout).toContain("Usage: kubectl plimsoll replay [options] <FILE...>");
});

test.each(["20.20.2", "22.18.0"])("Node.js %s is refused, with the version to install", (version) => {
  const older = join(folder, "older.cjs");
  writeFileSync(older, `Object.defineProperty(process, "versions", { value: { node: "${version}" } });\n`);
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--require", older, inside("bin/plimsoll.cjs"), "version"],
    { encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `error: plimsoll needs Node.js 22.19 or newer, and this is ${version}\n`,
  });
});

test("its README is for users, and says how to install it", () => {
  const page = readFileSync(inside("README.md"), "utf8");
  expect(page).toContain("npm install --global @plimsoll/cli\n");
  expect(page).toContain("kubectl plimsoll explain");
});

test("what reads a kubeconfig is in it: a wrong one is an error of one line", () => {
  const { status, stderr } = spawnSync(inside("bin/plimsoll.cjs"), ["status", "--kubeconfig", "/nowhere"], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: .*\/nowhere.*\n$/);
});

test("packages and licenses of everything inside are listed, and no generated API is inside", () => {
  const notices = readFileSync(inside("THIRD-PARTY-NOTICES.txt"), "utf8");
  for (const name of ["@kubernetes/client-node", "commander", "yaml", "tar-stream"])
    expect(notices).toContain(`${name} `);
  const sbom = JSON.parse(readFileSync(inside("sbom.cdx.json"), "utf8")) as Sbom;
  expect(sbom.components.map(({ name }) => name)).toContain("tar-stream");
  expect(missingOfPage(sbom.components, notices)).toEqual([]);
  expect(readFileSync(inside("LICENSE"), "utf8")).toContain("Apache License");
  expect(statSync(inside("dist/main.cjs")).size).toBeLessThan(4_000_000);
});
