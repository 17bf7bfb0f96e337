// Finds the source files of the packages' entries, as package.json states them.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { packageFolders } from "./files.ts";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, { readonly "@plimsoll/source"?: string } | string>>;
}

export interface Entry {
  /** As an import names it, e.g. `@plimsoll/core/quantity`. */
  readonly name: string;
  /** From the repository's root. */
  readonly path: string;
  readonly isPublic: boolean;
}

/** The entries of all packages below a folder. */
export function readEntries(folder: string): readonly Entry[] {
  return packageFolders(folder).flatMap((path) => {
    const manifest = readFileSync(join(folder, path, "package.json"), "utf8");
    const { name, private: isPrivate, exports } = JSON.parse(manifest) as Manifest;
    return Object.entries(exports ?? {}).flatMap(([entry, conditions]) => {
      const source = typeof conditions === "string" ? undefined : conditions["@plimsoll/source"];
      if (source === undefined) return [];
      return [
        {
          name: posix.join(name, entry),
          path: posix.join(path, source),
          isPublic: isPrivate !== true,
        },
      ];
    });
  });
}
