import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Why a package could not be fetched. */
export class FetchFailed extends Error {}

/**
 * The folder with the distribution's package unpacked, and with the libraries that the system lacks for it. It lies in
 * a cache beside the system, which stays as it is; no rights are needed.
 * @throws FetchFailed
 */
export function unpackedPackage(name) {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "plimsoll");
  const home = join(cache, name);
  if (existsSync(home)) return home;
  if (!existsSync("/usr/bin/apt-get")) throw new FetchFailed("there is no apt-get");
  console.error(`plimsoll: fetching the distribution's ${name} package`);
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "apt-"));
  try {
    const settings = ["-qq", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User="];
    for (const [setting, folder] of [
      ["Dir::State::lists", "lists"],
      ["Dir::Cache", "cache"],
    ]) {
      mkdirSync(join(work, folder));
      settings.push("-o", `${setting}=${join(work, folder)}`);
    }
    run("apt-get", [...settings, "update"], work);
    run(
      "apt-get",
      [...settings, "install", "--yes", "--no-install-recommends", "--download-only", "--reinstall", name],
      work,
    );
    run("sh", ["-ec", 'for deb in cache/archives/*.deb; do dpkg -x "$deb" unpacked; done'], work);
    renameSync(join(work, "unpacked"), home);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return home;
}

function run(command, args, cwd) {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr, error } = spawnSync(command, args, { cwd, env: environment, encoding: "utf8" });
  if (status === 0) return;
  throw new FetchFailed((stderr || error?.message || command).trim().split("\n").at(-1));
}
