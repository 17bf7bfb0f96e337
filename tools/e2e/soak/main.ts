// Both processes under churn for a long time: npm run task -- soak --help
import { readOptions, usage } from "./options.ts";
import { runSoak } from "./session.ts";

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(usage);
} else {
  try {
    process.exitCode = await runSoak(readOptions(args));
  } catch (error) {
    console.error("soak:", error);
    process.exitCode = 2;
  }
}
