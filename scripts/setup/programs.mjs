import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where the PATH has the first of these programs; undefined where it has none. */
export function findOnPath(names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
