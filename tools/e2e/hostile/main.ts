// A hostile tenant beside a victim, against both real processes: npm run task -- hostile --help

import { readOptions, usage } from "./options.ts";
import { openSession } from "./session.ts";

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(usage);
} else {
  try {
    process.exitCode = await openSession(readOptions(args));
  } catch (error) {
    console.error("hostile:", error);
    process.exitCode = 2;
  }
}
