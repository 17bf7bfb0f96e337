// The program behind `npm run vectors -- PATH [PATH …]`: runs vector files.
import { runVectors } from "./vectors/run.ts";

const paths = process.argv.slice(2).filter((argument) => argument !== "--");
const usage =
  "usage: npm run vectors -- PATH [PATH …]   each a vector file, or a folder that is searched for them";
if (paths.includes("--help")) console.log(usage);
else if (paths.length === 0) {
  console.error(usage);
  process.exitCode = 1;
} else {
  const { failed } = await runVectors(paths, (text) => console.log(text));
  process.exitCode = failed === 0 ? 0 : 1;
}
