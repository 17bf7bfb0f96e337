// Brings a fresh clone to the point where a command can run, then runs it.
// Plain JavaScript for Node 20, because it runs before anything is installed.
import { setup } from "./setup/run.mjs";

process.exitCode = await setup(process.argv.slice(2));
