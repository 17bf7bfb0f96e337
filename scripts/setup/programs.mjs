import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { cacheFolder } from "./distribution.mjs";
import { Missing } from "./missing.mjs";

/** Where the PATH has the first of these programs; undefined where it has none. */
export function findOnPath(names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => resolve(join(folder, name)))).find(isExecutable);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    // Folders have the same bit: /opt may be on the PATH, with a folder "prometheus".
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A folder for the PATH that has this program under a name, and nothing else: its own may have another Node beside it. */
export function folderOf(name, program) {
  const id = createHash("sha256").update(program).digest("hex").slice(0, 16);
  const folder = join(cacheFolder(), "links", id);
  const link = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true });
    symlinkSync(program, link);
  } catch (error) {
    if (error.code === "EEXIST" && readlinkSync(link) === program) return folder;
    throw new Missing(
      `cannot link ${program} at ${link}: ${error.message}; set XDG_CACHE_HOME to a folder that can be written`,
    );
  }
  return folder;
}
