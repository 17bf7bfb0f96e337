// How soon the storm finds faults that were planted: npm run task -- plants --help
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCampaign, type Search } from "./campaign.ts";
import { readOptions, usage } from "./options.ts";
import { readPlants } from "./patches.ts";
import { rowOf, tableOf } from "./table.ts";

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(usage);
} else {
  try {
    const options = readOptions(args);
    const plants = await readPlants(options.names);
    const searches = await runCampaign(plants, options, (search) => reportSearch(search, options.out));
    const count = searches.filter(({ found }) => found !== undefined).length;
    console.log(`\n${tableOf(searches)}\n\nfound ${count} of ${searches.length}`);
    if (count < searches.length) process.exitCode = 1;
  } catch (error) {
    console.error("plants:", error);
    process.exitCode = 2;
  }
}

async function reportSearch(search: Search, out: string | undefined): Promise<void> {
  const { plant, found, shrunk = found, others } = search;
  console.log(rowOf(search).join("  "));
  if (found !== undefined) console.log(`  ${found.violation.message}`);
  for (const other of others) console.log(`  also without it: ${other}`);
  if (out === undefined || shrunk === undefined) return;
  await writeFile(join(out, `${plant.name}.json`), `${JSON.stringify(shrunk.scenario, undefined, 2)}\n`);
}
