// How soon the storm finds faults that were planted: npm run storm:plants -- --help
import { runCampaign } from "./campaign.ts";
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
    const searches = await runCampaign(plants, options, (search) => console.log(rowOf(search).join("  ")));
    const found = searches.filter(({ report }) => report.found !== undefined);
    console.log(`\n${tableOf(searches)}\n\nfound ${found.length} of ${searches.length}`);
    if (found.length < searches.length) process.exitCode = 1;
  } catch (error) {
    console.error("storm:plants:", error);
    process.exitCode = 2;
  }
}
