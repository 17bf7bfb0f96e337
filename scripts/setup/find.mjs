import { resolve } from "node:path";
import { FetchFailed } from "./distribution.mjs";
import { Missing } from "./missing.mjs";

/**
 * A program of others that commands need.
 * @typedef {object} Wanted
 * @property {string} title
 * @property {string} variable of the environment that may name it
 * @property {readonly string[]} names on the PATH
 * @property {readonly string[]} [applications] of macOS, which are on no PATH
 * @property {(system: import("./system.mjs").System) => string} [fromPackage] its path in the distribution's package,
 *   which is unpacked beside the system; or FetchFailed
 * @property {import("./go.mjs").GoProgram} [go]
 * @property {Readonly<Record<string, string>>} install the command to type, by platform or distribution
 */

/**
 * The path of a program: what its variable names, what the PATH has, the distribution's package in a cache, or what Go
 * builds.
 * @param {Wanted} wanted
 * @param {import("./system.mjs").System} system
 * @throws Missing with what was tried, and the one command to type
 */
export function findProgram(wanted, system) {
  const named = system.environment[wanted.variable];
  if (named) {
    // npm runs scripts in the clone; a path is meant from where it was typed.
    const path = resolve(system.environment.INIT_CWD ?? ".", named);
    if (system.isExecutable(path)) return path;
    throw new Missing(`${wanted.variable}=${named} is not a program; ${remedy(wanted, system)}`);
  }
  const found = system.findOnPath(wanted.names) ?? wanted.applications?.find(system.isExecutable);
  if (found) return found;
  const { fromPackage, go } = wanted;
  /** @type {string[]} */
  const failures = [];
  /** @param {string} what @param {() => string} fetch */
  const attempt = (what, fetch) => {
    try {
      return fetch();
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      failures.push(`${what}: ${error.message}`);
      return undefined;
    }
  };
  const fetched =
    (fromPackage && attempt("the distribution's package", () => fromPackage(system))) ??
    (go && attempt("a build with Go", () => system.builtProgram(go)));
  if (fetched !== undefined) return fetched;
  throw new Missing(`no ${wanted.title} found (${failures.join("; ")}); ${remedy(wanted, system)}`);
}

/**
 * The same, for a program without which some tests are left out, aloud.
 * @param {Wanted} wanted
 * @param {import("./system.mjs").System} system
 * @returns {string | undefined}
 */
export function findOptional(wanted, system) {
  // A variable that is wrong was meant.
  if (system.environment[wanted.variable]) return findProgram(wanted, system);
  try {
    return findProgram(wanted, system);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    system.report(`${error.message}. Its tests are left out`);
    return undefined;
  }
}

/** The one command for this machine. */
function remedy({ title, variable, install }, { platform, distributions }) {
  const [command] = [platform, ...distributions].flatMap((name) => install[name] ?? []);
  const otherwise = `set ${variable}=/path/to/it`;
  return command === undefined ? `install ${title}, or ${otherwise}` : `type '${command}', or ${otherwise}`;
}

/**
 * Commands are shell scripts, and programs end by signals.
 * @param {string} platform
 * @throws Missing on Windows itself
 */
export function refuseWindows(platform) {
  if (platform !== "win32") return;
  throw new Missing(
    "Windows itself is not supported; type 'wsl --install -d Debian', and use a clone in that Linux as on any Debian",
  );
}
