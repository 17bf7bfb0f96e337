// The command line as npm has it: one file, both names, with the licenses of what is in it.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingOfPage, type Sbom } from "./bill-of-page.ts";

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-npm-"));
  // As a program of its own, because a library in it wants the console of the runtime.
  const program = fileURLToPath(new URL("../src/package-cli.ts", import.meta.url));
  await run(process.execPath, [program, join(folder, "package"), "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
