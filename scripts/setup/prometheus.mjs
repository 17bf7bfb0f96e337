import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { Missing } from "./missing.mjs";

const REMEDY =
  "set PROMETHEUS=/path/to/prometheus, or install it: 'apt-get install prometheus', 'brew install prometheus', " +
  "or copy /bin/prometheus out of the image prom/prometheus with 'docker cp'";

/** The path of a real Prometheus: $PROMETHEUS, the PATH, or the distribution's package unpacked into a cache. */
export function findPrometheus() {
  const named = process.env.PROMETHEUS;
  if (named) {
    if (!isExecutable(named)) throw new Missing(`PROMETHEUS=${named} is not a program; ${REMEDY}`);
    return named;
  }
  const onPath = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "prometheus"))
    .find(isExecutable);
  return onPath ?? unpackedPackage();
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Downloads and unpacks the distribution's package beside the system, which stays as it is. */
function unpackedPackage() {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "plimsoll");
  const home = join(cache, "prometheus");
  const binary = join(home, "usr", "bin", "prometheus");
  if (isExecutable(binary)) return binary;
  if (!existsSync("/usr/bin/apt-get")) throw new Missing(`no Prometheus found; ${REMEDY}`);
  console.error("plimsoll: fetching the distribution's Prometheus package");
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "apt-"));
  try {
    const lists = [
      "-o",
      `Dir::State::lists=${join(work, "lists")}`,
      "-o",
      `Dir::Cache=${join(work, "cache")}`,
    ];
    mkdirSync(join(work, "lists"));
    mkdirSync(join(work, "cache"));
    quietly("apt-get", [...lists, "-qq", "update"], work);
    quietly("apt-get", [...lists, "-qq", "download", "prometheus"], work);
    quietly("sh", ["-c", "dpkg -x prometheus_*.deb unpacked"], work);
    rmSync(home, { recursive: true, force: true });
    renameSync(join(work, "unpacked"), home);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return binary;
}

function quietly(command, args, cwd) {
  const run = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (run.status === 0) return;
  const last = (run.stderr ?? run.error?.message ?? "").trim().split("\n").at(-1);
  throw new Missing(`no Prometheus found, and fetching its package failed (${last}); ${REMEDY}`);
}
