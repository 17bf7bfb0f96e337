// The planted faults: a patch each, with what it breaks and what should notice it.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** A fault that can be planted into the tree. */
export interface Plant {
  /** Such as "01-selectors-of-owned-objects". */
  readonly name: string;
  readonly file: string;
  /** A scenario in which it is noticed. */
  readonly scenario: string;
  /** What it breaks. */
  readonly breaks: string;
  /** The invariant that should notice it. */
  readonly noticedBy: string;
}

const folder = join(import.meta.dirname, "..", "..", "plants");

/** All planted faults, or those whose names begin as one of `names` does; a name without any is an error. */
export async function readPlants(names: readonly string[] = []): Promise<readonly Plant[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".patch")).sort();
  const plants = await Promise.all(files.map((file) => readPlant(join(folder, file), file)));
  const unknown = names.find((name) => !plants.some((plant) => plant.name.startsWith(name)));
  if (unknown !== undefined) throw new Error(`there is no planted fault ${unknown}`);
  if (names.length === 0) return plants;
  return plants.filter((plant) => names.some((name) => plant.name.startsWith(name)));
}

/** The header is two lines: what it breaks, and what should notice it. */
async function readPlant(path: string, file: string): Promise<Plant> {
  const [breaks = "", second = ""] = (await readFile(path, "utf8")).split("\n", 2);
  const prefix = "Noticed by: ";
  if (breaks === "" || !second.startsWith(prefix)) throw new Error(`${file}: the header is not two lines`);
  return {
    name: file.replace(/\.patch$/, ""),
    file: path,
    scenario: path.replace(/\.patch$/, ".json"),
    breaks,
    noticedBy: second.slice(prefix.length),
  };
}

/** Applies a plant to a tree, or says with "check" only whether it can be applied. Throws an Error that names it. */
export async function applyPlant({ name, file }: Plant, tree: string, how?: "check"): Promise<void> {
  const flags = how === "check" ? ["--check"] : [];
  try {
    await promisify(execFile)("git", ["apply", ...flags, file], { cwd: tree });
  } catch (error) {
    throw new Error(`${name} does not apply any more`, { cause: error });
  }
}
