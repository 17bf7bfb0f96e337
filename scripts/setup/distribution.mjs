import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const INSTALL = ["install", "--yes", "--no-install-recommends", "--download-only", "--reinstall"];

/** Why a package could not be fetched. */
export class FetchFailed extends Error {}

/**
 * The folder with the distribution's package unpacked, and with the libraries that the system lacks for it. It lies in
 * a cache beside the system, which stays as it is; no rights are needed. A package of another suite than the system's
 * comes alone, as that suite's libraries are not the system's: only a program that needs none can be had so.
 * @throws FetchFailed
 */
export function unpackedPackage(name, suite) {
  return unpacked(suite ? `${name}-${suite}` : name, (settings, { work, archives }) => {
    console.error(`plimsoll: fetching the distribution's ${name} package${suite ? ` of ${suite}` : ""}`);
    if (suite) settings.push(...onlySuite(suite, work));
    run("apt-get", [...settings, "update"], work);
    if (suite) run("apt-get", [...settings, "download", name], archives);
    else run("apt-get", [...settings, ...INSTALL, name], work);
  });
}

/**
 * The folder with the distribution's packages of another architecture ("arm64") unpacked, and without what they need.
 * @throws FetchFailed
 */
export function unpackedForeign(home, names, architecture) {
  return unpacked(`${home}-${architecture}`, (settings, { work, archives }) => {
    console.error(`plimsoll: fetching the distribution's ${names.join(", ")} for ${architecture}`);
    settings.push("-o", `APT::Architecture=${architecture}`, "-o", `APT::Architectures=${architecture}`);
    run("apt-get", [...settings, "update"], work);
    run("apt-get", [...settings, "download", ...names], archives);
  });
}

/** A folder of the cache, which `download` fills with archives the first time. */
export function unpacked(name, download, isThere = hasApt) {
  const cache = cacheFolder();
  const home = join(cache, name);
  if (existsSync(home)) return home;
  isThere();
  const work = workFolder(cache, "apt-");
  try {
    const settings = ["-qq", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User="];
    for (const [setting, folder] of [
      ["Dir::State::lists", "lists"],
      ["Dir::Cache", "cache"],
    ]) {
      mkdirSync(join(work, folder));
      settings.push("-o", `${setting}=${join(work, folder)}`);
    }
    const archives = join(work, "cache", "archives");
    mkdirSync(archives, { recursive: true });
    download(settings, { work, archives });
    run(
      "sh",
      ["-ec", 'for deb in cache/archives/*.deb; do [ ! -e "$deb" ] || dpkg -x "$deb" unpacked; done'],
      work,
    );
    keep(join(work, "unpacked"), home);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return home;
}

function hasApt() {
  if (!existsSync("/usr/bin/apt-get")) throw new FetchFailed("there is no apt-get");
}

/** A new folder of the cache. @throws FetchFailed */
export function workFolder(cache, prefix) {
  try {
    mkdirSync(cache, { recursive: true });
    return mkdtempSync(join(cache, prefix));
  } catch (error) {
    throw new FetchFailed(
      `the folder ${cache} cannot be made or written (${error.code}); set XDG_CACHE_HOME to a folder that can`,
    );
  }
}

/** Gives a complete folder its place; where another run was sooner, its folder is as good. */
export function keep(folder, home) {
  try {
    renameSync(folder, home);
  } catch (error) {
    if (!existsSync(folder)) throw new FetchFailed("nothing was fetched");
    if (!existsSync(home)) throw error;
  }
}

/** Where what was fetched is kept for all clones. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "plimsoll");
}

/** apt-get's settings that read one suite alone, from where the system's own packages come. */
function onlySuite(suite, work) {
  const origins = run("apt-get", ["indextargets", "--format", "$(ORIGIN) $(CODENAME) $(REPO_URI)"], work);
  const [, , uri] =
    origins
      .split("\n")
      .map((line) => line.split(" "))
      .find(isMain) ?? [];
  if (!uri) throw new FetchFailed("the system is not a Debian");
  const list = join(work, "suite.list");
  writeFileSync(
    list,
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${uri} ${suite} main\n`,
  );
  return ["-o", `Dir::Etc::sourcelist=${list}`, "-o", "Dir::Etc::sourceparts=-"];
}

/** Of a line "origin codename address": not a suite of updates, which lies elsewhere. */
function isMain([origin, codename]) {
  return origin === "Debian" && !codename.includes("-");
}

/** What the program printed. */
function run(command, args, cwd) {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: environment,
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  throw new FetchFailed((stderr || error?.message || command).trim().split("\n").at(-1));
}
