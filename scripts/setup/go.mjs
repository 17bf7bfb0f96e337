import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, FetchFailed } from "./distribution.mjs";
import { findOnPath, isExecutable } from "./programs.mjs";

/**
 * A main package, and the folder with the go.mod and go.sum that pin it.
 * @typedef {object} GoProgram
 * @property {string} name of its binary
 * @property {string} source the import path
 * @property {string} module below `tools/testbed`
 * @property {readonly string[]} tags
 * @property {{ of: string, variables: string }} [version] the module whose version it prints, and the package with the
 *   variables for that
 */

const testbed = fileURLToPath(new URL("../../tools/testbed", import.meta.url));

/**
 * The path of a program built with Go at its pinned version, in a cache. Tests build their own tools in the same way, in
 * TypeScript (`gobuild` of the testbed), which cannot run before dependencies are installed.
 * @param {GoProgram} program
 * @throws FetchFailed
 */
export function builtProgram({ name, source, module, tags, version }) {
  const pins = join(testbed, module);
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(pins, file)));
  hash.update(`${process.platform}/${process.arch}`);
  const folder = join(cacheFolder(), module, hash.digest("hex").slice(0, 16));
  const binary = join(folder, name);
  if (isExecutable(binary)) return binary;
  const go = findOnPath(["go"]);
  if (go === undefined) throw new FetchFailed("there is no Go to build it with");
  console.error(`plimsoll: building ${name} with Go, once, into ${folder} (minutes)`);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new FetchFailed(
      `the folder ${folder} cannot be made (${error.code}); set XDG_CACHE_HOME to a folder that can be written`,
    );
  }
  const unfinished = `${binary}.${randomUUID()}`;
  const linker = ["-s", "-w", ...(version === undefined ? [] : versionFlags(pins, version))].join(" ");
  const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-tags", tags.join(",")];
  try {
    const { status, stderr, error } = spawnSync(go, [...args, "-o", unfinished, source], {
      cwd: pins,
      env: { ...process.env, CGO_ENABLED: "0" },
      encoding: "utf8",
    });
    if (status !== 0)
      throw new FetchFailed(`go build: ${(stderr || error?.message || "failed").trim().split("\n").at(-1)}`);
    renameSync(unfinished, binary);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return binary;
}

/** Without them Kubernetes' programs call themselves v0.0.0-master. */
function versionFlags(pins, { of, variables }) {
  const text = readFileSync(join(pins, "go.mod"), "utf8");
  const [, version = ""] = new RegExp(`^\\s*(?:require )?${of} (\\S+)`, "m").exec(text) ?? [];
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  return Object.entries(values).map(([key, value]) => `-X ${variables}.${key}=${value}`);
}
