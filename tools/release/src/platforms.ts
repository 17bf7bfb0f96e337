// Archives of programs: the machines that they are for, and how their programs start.
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A machine that an archive of programs is for. */
export interface Platform {
  readonly os: "linux" | "darwin";
  readonly arch: "amd64" | "arm64";
  /** The Node that comes with it; without one the user's own runs it. */
  readonly node: string | undefined;
}

/** @throws Error when the environment lacks FOREIGN_NODE */
export function platformsOf({ FOREIGN_NODE: foreign }: NodeJS.ProcessEnv): readonly Platform[] {
  if (foreign === undefined) throw new Error("FOREIGN_NODE is not set: start this with npm run release");
  const isArm = process.arch === "arm64";
  return [
    { os: "linux", arch: "amd64", node: isArm ? foreign : process.execPath },
    { os: "linux", arch: "arm64", node: isArm ? process.execPath : foreign },
    { os: "darwin", arch: "amd64", node: undefined },
    { os: "darwin", arch: "arm64", node: undefined },
  ];
}

/** Puts the Node of a platform into a folder, where it has one. */
export function addNode(folder: string, node: string | undefined): void {
  if (node === undefined) return;
  copyFileSync(node, join(folder, "node"));
  chmodSync(join(folder, "node"), 0o755);
}

/** Writes a program that starts Node with a command line. The folder has the command, and the program in `bin` or beside it. */
export function writeLauncher(
  folder: string,
  {
    name,
    command,
    option,
  }: {
    /** Such as `bin/plimsoll`. */
    readonly name: string;
    readonly command: string;
    readonly option?: string | undefined;
  },
): void {
  const words = ['"$node"', option ?? "", `"$here/${command}"`, '"$@"'].filter((word) => word !== "");
  const up = name.startsWith("bin/") ? "/.." : "";
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), `${findNode(up)}exec ${words.join(" ")}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** A link leads to it where krew installed it, so that its own folder is found through the link. */
const findNode = (up: string): string => `#!/bin/sh
program=$0
while [ -L "$program" ]; do
  target=$(readlink "$program")
  case $target in
    /*) program=$target ;;
    *) program=$(dirname "$program")/$target ;;
  esac
done
here=$(CDPATH= cd "$(dirname "$program")${up}" && pwd -P)
node=$here/node
[ -x "$node" ] || node=$(command -v node) || {
  echo "plimsoll: there is no node on the PATH: install Node 22.19 or newer" >&2
  exit 1
}
`;
