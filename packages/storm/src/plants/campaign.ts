// Looks for each planted fault with the storm, in a copy of the tree.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimit } from "@plimsoll/component-base";
import type { RunReport } from "../run/report.ts";
import type { CampaignOptions } from "./options.ts";
import { applyPlant, type Plant } from "./patches.ts";
import { copyTree } from "./tree.ts";

/** How the search for one planted fault ended. */
export interface Search {
  readonly plant: Plant;
  readonly report: RunReport;
}

/** Plants each fault, and looks for it. Throws when one does not apply any more, or when the storm itself fails. */
export async function runCampaign(
  plants: readonly Plant[],
  { minutes, seed, atOnce }: Pick<CampaignOptions, "minutes" | "seed" | "atOnce">,
  onEnd: (search: Search) => void,
): Promise<readonly Search[]> {
  const searches: Search[] = [];
  await forEachLimit(atOnce, plants, async (plant) => {
    const search = {
      plant,
      report: await look(plant, ["--minutes", String(minutes), "--seed", String(seed)]),
    };
    searches.push(search);
    onEnd(search);
  });
  return searches.sort((one, other) => (one.plant.name < other.plant.name ? -1 : 1));
}

async function look(plant: Plant, args: readonly string[]): Promise<RunReport> {
  const tree = await copyTree();
  try {
    await applyPlant(plant, tree.path);
    const file = join(tree.path, "report.json");
    const main = join(tree.path, "packages", "storm", "src", "main.ts");
    const flags = ["--conditions=@plimsoll/source", main, ...args, "--report", file];
    const child = spawn(process.execPath, flags, { cwd: tree.path, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    await once(child, "close");
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) throw new Error(`${plant.name}: the storm ended without a report: ${errors}`);
    return JSON.parse(text) as RunReport;
  } finally {
    await tree.remove();
  }
}
