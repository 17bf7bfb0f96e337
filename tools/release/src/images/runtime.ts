// The Node of an image, and the libraries that it links to.

import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";

export interface Runtime {
  /** The program, on this machine. */
  readonly path: string;
  readonly version: string;
  /** The dynamic linker among them. */
  readonly libraries: readonly Library[];
}

export interface Library {
  /** On this machine. */
  readonly from: string;
  /** In the image. */
  readonly to: string;
}

/** The Node that runs this, with this machine's libraries. */
export function ownRuntime(): Runtime {
  const { execPath: path, versions } = process;
  return {
    path,
    version: versions.node,
    libraries: sharedLibraries(path).map((library) => ({ from: library, to: library })),
  };
}

/** Debian's folder of libraries, and the dynamic linker that programs name, for each architecture. */
const places = {
  amd64: { folder: "x86_64-linux-gnu", linker: "/lib64/ld-linux-x86-64.so.2" },
  arm64: { folder: "aarch64-linux-gnu", linker: "/lib/ld-linux-aarch64.so.1" },
} as const;

/**
 * Node for another architecture than this machine's, with libraries out of Debian's packages, unpacked into a folder.
 * @throws Error that names a library which is not there
 */
export function foreignRuntime(
  architecture: keyof typeof places,
  source: { readonly node: string; readonly version: string; readonly libraries: string },
): Runtime {
  const { folder, linker } = places[architecture];
  const find = (name: string): string => {
    const found = [`lib/${folder}`, `usr/lib/${folder}`]
      .map((place) => join(source.libraries, place, name))
      .find((path) => existsSync(path));
    if (found === undefined) throw new Error(`${source.libraries} has no ${name} for ${architecture}`);
    return realpathSync(found);
  };
  const linkerName = linker.slice(linker.lastIndexOf("/") + 1);
  return {
    path: source.node,
    version: source.version,
    libraries: [
      ...nodeLibraries.map((name) => ({ from: find(name), to: `/lib/${folder}/${name}` })),
      { from: find(linkerName), to: linker },
    ],
  };
}

/** What the official Node names as needed, on every architecture. */
const nodeLibraries: readonly string[] = [
  "libc.so.6",
  "libdl.so.2",
  "libgcc_s.so.1",
  "libm.so.6",
  "libpthread.so.0",
  "libstdc++.so.6",
];

/** The dynamic linker and the libraries that a program needs, where the linker finds them. */
function sharedLibraries(program: string): readonly string[] {
  const text = execFileSync("ldd", [program], { encoding: "utf8" });
  const paths = text.split("\n").flatMap((line) => /(?:=>\s+)?(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);
  if (paths.length === 0) throw new Error(`ldd names no library of ${program}: ${text}`);
  return paths.toSorted();
}
