// Looks for each planted fault with the storm, in a copy of the tree.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimit } from "@plimsoll/component-base";
import type { CampaignOptions } from "./options.ts";
import { applyPlant, type Plant } from "./patches.ts";
import type { SearchReport } from "./report.ts";
import { copyTree } from "./tree.ts";

/** How the search for one planted fault ended. */
export interface Search {
  readonly plant: Plant;
  readonly report: SearchReport;
}

/** Plants each fault, and looks for it. Throws when one does not apply any more, or when the storm itself fails. */
export async function runCampaign(
  plants: readonly Plant[],
  options: Pick<CampaignOptions, "minutes" | "seed" | "atOnce">,
  onEnd: (search: Search) => Promise<void>,
): Promise<readonly Search[]> {
  const searches: Search[] = [];
  await forEachLimit(options.atOnce, plants, async (plant) => {
    const search = { plant, report: await look(plant, options) };
    searches.push(search);
    await onEnd(search);
  });
  return searches.sort((one, other) => (one.plant.name < other.plant.name ? -1 : 1));
}

async function look(
  plant: Plant,
  { minutes, seed }: Pick<CampaignOptions, "minutes" | "seed">,
): Promise<SearchReport> {
  const tree = await copyTree();
  try {
    await applyPlant(plant, tree.path);
    const file = join(tree.path, "report.json");
    const program = join(tree.path, "packages", "storm", "src", "plants", "search.ts");
    const args = ["--conditions=@plimsoll/source", program, String(minutes), String(seed), file];
    const child = spawn(process.execPath, args, { cwd: tree.path, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    await once(child, "close");
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) throw new Error(`${plant.name}: the storm ended without a report: ${errors}`);
    return JSON.parse(text) as SearchReport;
  } finally {
    await tree.remove();
  }
}
