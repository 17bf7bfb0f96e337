import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { runVectors } from "./vectors/run.ts";

const paths = process.argv.slice(2).filter((argument) => argument !== "--");
const usage =
  "usage: npm run vectors -- PATH [PATH …]   each a vector file, or a folder that is searched for them";
if (paths.includes("--help")) console.log(usage);
else if (paths.length === 0) {
  console.error(usage);
  process.exitCode = 1;
} else {
  const { failed } = await runVectors(paths.map(locate), (text) => console.log(text));
  process.exitCode = failed === 0 ? 0 : 1;
}

/** npm moves to the package's folder; a path is meant from where the user stood. */
function locate(path: string): string {
  const here = resolve(path);
  const start = process.env["INIT_CWD"];
  return existsSync(here) || start === undefined ? here : resolve(start, path);
}
