// To which packages files belong.
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** The folders of packages, installed ones and ours, in which these files are: each once, sorted. */
export function packageFolders(files: readonly string[]): readonly string[] {
  return [...new Set(files.flatMap((file) => installedFolder(file) ?? ownFolder(file) ?? []))].toSorted();
}

/** Those of packages that were installed: the others have the license of the repository. */
export function installedFolders(folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => installedFolder(folder) !== undefined);
}

function installedFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function ownFolder(file: string): string | undefined {
  const [kind = "", name = ""] = relative(root, file).split(sep);
  return kind === "packages" || kind === "tools" ? join(root, kind, name) : undefined;
}
