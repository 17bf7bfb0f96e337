// What a build of the page is made from, as one hash: a build that was made from something else is noticed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

const root = new URL("../../../", import.meta.url).pathname;

/** Files and folders, below the top of the repository. */
const inputs: readonly string[] = [
  ...["src", "public", "build", "index.html", "vite.config.ts", "package.json", "tsconfig.json"].map(
    (name) => `packages/console/${name}`,
  ),
  ...["core", "decisions", "doctor", "simulator"].flatMap((name) => [
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  ]),
  "pnpm-lock.yaml",
  "tsconfig.base.json",
];

/** Where a build has the hash of what it was made from. */
export const stampFile = ".vite/inputs";

/** Of the names and contents of all that a build reads. */
export function hashInputs(): string {
  const hash = createHash("sha256");
  for (const file of inputs.map((name) => join(root, name)).flatMap(filesIn)) {
    const bytes = readFileSync(file);
    hash.update(`${relative(root, file).split(sep).join("/")} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

/** Of our own files, whatever a bundler writes behind their names; true for all that come from elsewhere. */
export function isInput(module: string): boolean {
  const path = module.split("?")[0] ?? "";
  const name = relative(root, path).split(sep).join("/");
  if (!path.startsWith(root) || name.includes("node_modules/")) return true;
  return inputs.some((input) => name === input || name.startsWith(`${input}/`));
}

/** Whether the page in this folder was built from what is there now. */
export function isCurrent(folder: string): boolean {
  const stamp = join(folder, stampFile);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hashInputs();
}

/** In an order that does not depend on the file system. */
function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
