import { readFileSync } from "node:fs";
import { unpackedPackage } from "./distribution.mjs";
import { builtProgram } from "./go.mjs";
import { findOnPath, isExecutable } from "./programs.mjs";

/**
 * What finding a program needs of a machine.
 * @typedef {object} System
 * @property {string} platform as process.platform
 * @property {readonly string[]} distributions of Linux: its name, then those that it is like; as /etc/os-release has them
 * @property {Readonly<Record<string, string | undefined>>} environment
 * @property {(names: readonly string[]) => string | undefined} findOnPath
 * @property {(path: string) => boolean} isExecutable
 * @property {(name: string, suite?: string) => string} unpackedPackage the folder of a package, or FetchFailed
 * @property {(program: import("./go.mjs").GoProgram) => string} builtProgram its path, or FetchFailed
 * @property {(line: string) => void} report
 */

/** @returns {System} this machine */
export function thisSystem() {
  return {
    platform: process.platform,
    distributions: distributionsIn(osRelease()),
    environment: process.env,
    findOnPath,
    isExecutable,
    unpackedPackage,
    builtProgram,
    report: (line) => console.error(`plimsoll: ${line}`),
  };
}

/** @param {string} text @returns {readonly string[]} */
export function distributionsIn(text) {
  const value = (key) => new RegExp(`^${key}=["']?([^"'\n]*)`, "m").exec(text)?.[1] ?? "";
  return `${value("ID")} ${value("ID_LIKE")}`.split(" ").filter((name) => name !== "");
}

function osRelease() {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}
