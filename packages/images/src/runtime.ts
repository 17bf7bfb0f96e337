// The Node of an image, and the libraries that it links to.
import { sharedLibraries } from "./shared-libraries.ts";

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
