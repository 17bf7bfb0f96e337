// Looks for each planted fault with the storm, in a copy of the tree.
import { cp, glob, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forEachLimit } from "@plimsoll/component-base";
import { hourMs } from "@plimsoll/core/internal/values";
import type { Found } from "../run/violation.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { supervise } from "../supervisor/supervise.ts";
import type { CampaignOptions } from "./options.ts";
import { applyPlant, type Plant } from "./patches.ts";
import type { SearchReport } from "./report.ts";

/** How the search for one planted fault ended. */
export interface Search extends SearchReport {
  readonly plant: Plant;
  /** What is left of it after shrinking. */
  readonly shrunk?: Found;
  /** Violations that come without the fault too. */
  readonly others: readonly string[];
}

type Options = Pick<CampaignOptions, "minutes" | "seed" | "atOnce" | "isKnownOnly">;

/** Plants each fault, and looks for it. Throws when one does not apply any more, or when the storm itself fails. */
export async function runCampaign(
  plants: readonly Plant[],
  options: Options,
  onEnd: (search: Search) => Promise<void>,
): Promise<readonly Search[]> {
  const plain = await copyTree();
  const searches: Search[] = [];
  try {
    await forEachLimit(options.atOnce, plants, async (plant) => {
      const planted = await copyTree();
      try {
        await applyPlant(plant, planted.path);
        const trees = { plain: plain.path, planted: planted.path };
        const search = options.isKnownOnly ? await play(plant, trees) : await look(plant, trees, options);
        searches.push(search);
        await onEnd(search);
      } finally {
        await planted.remove();
      }
    });
  } finally {
    await plain.remove();
  }
  return searches.sort((one, other) => (one.plant.name < other.plant.name ? -1 : 1));
}

interface Trees {
  readonly plain: string;
  readonly planted: string;
}

/** Plays the scenario that is kept beside the patch. */
async function play(plant: Plant, trees: Trees): Promise<Search> {
  const scenario = JSON.parse(await readFile(plant.scenario, "utf8")) as Scenario;
  const { violation } = await run<Partial<Found>>(trees.planted, ["play"], scenario);
  const plain = await run<Partial<Found>>(trees.plain, ["play"], scenario);
  const atMs = violation?.atMs ?? scenario.stormMs + scenario.quietMs;
  const common = { plant, seconds: 0, hours: atMs / hourMs };
  if (plain.violation !== undefined) return { ...common, others: [plain.violation.message] };
  return { ...common, others: [], ...(violation === undefined ? {} : { found: { violation, scenario } }) };
}

/** A violation counts where it does not come without the fault as well. */
async function look(plant: Plant, trees: Trees, options: Options): Promise<Search> {
  const others: string[] = [];
  const spent = { seconds: 0, hours: 0 };
  for (let { seed } = options; ; ) {
    const left = options.minutes - spent.seconds / 60;
    const report = await run<SearchReport>(trees.planted, ["search", String(left), String(seed)]);
    spent.seconds += report.seconds;
    spent.hours += report.hours;
    const { found } = report;
    if (found === undefined) return { plant, others, ...spent };
    const { violation } = await run<Partial<Found>>(trees.plain, ["replay"], found);
    if (violation?.invariant !== found.violation.invariant)
      return { plant, others, ...spent, found, shrunk: await run<Found>(trees.planted, ["shrink"], found) };
    others.push(`${violation.invariant}, seed ${found.scenario.seed}: ${violation.message}`);
    if (spent.seconds >= options.minutes * 60) return { plant, others, ...spent };
    seed = found.scenario.seed + 1;
  }
}

/** Runs search.ts of a tree with a file in between. Throws when it ends without a result. */
async function run<T>(tree: string, args: readonly string[], input?: Found | Scenario): Promise<T> {
  const file = join(tree, `${crypto.randomUUID()}.json`);
  if (input !== undefined) await writeFile(file, JSON.stringify(input));
  const program = join(tree, "tools", "storm", "src", "plants", "search.ts");
  const { child, ending } = supervise(program, [...args, file], {
    cwd: tree,
    output: ["ignore", "pipe"],
    codes: [0],
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const result = await ending;
  if (result.kind === "failed") throw new Error(`the storm failed: ${result.message}\n${errors}`);
  return JSON.parse(await readFile(file, "utf8")) as T;
}

/** The root of this tree. */
export const root = join(import.meta.dirname, "..", "..", "..", "..");

/** What a package needs to run from its sources. */
const parts = new Set(["package.json", "src", "node_modules", "scenarios"]);

/** A copy of all packages as they are now, in a temporary folder. Third-party packages are shared with this tree. */
async function copyTree(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "plimsoll-storm-"));
  const remove = () => rm(path, { recursive: true, force: true });
  await symlink(join(root, "node_modules"), join(path, "node_modules"));
  await cp(join(root, "package.json"), join(path, "package.json"));
  for await (const folder of glob("{packages,tools}/*", { cwd: root })) {
    const from = join(root, folder);
    for (const part of await readdir(from)) {
      if (!parts.has(part)) continue;
      // Links among packages are relative, and so lead to the copies.
      const options = { recursive: true, verbatimSymlinks: true };
      await cp(join(from, part), join(path, folder, part), options);
    }
  }
  return { path, remove };
}
