import { randomInt } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildOracle } from "./build.ts";
import { parseOptions, usage } from "./options.ts";
import { runOracle } from "./run.ts";

const module = fileURLToPath(new URL("../../oracle", import.meta.url));
const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "plimsoll");
const report = (line: string): void => console.error(line);

const parsed = parseOptions(process.argv.slice(2), () => String(randomInt(1_000_000_000)));
if (parsed.ok) {
  const binary = await buildOracle({ module, cache, release: parsed.options.release, report });
  const { failed } = await runOracle(parsed.options, { binary, report, print: (text) => console.log(text) });
  process.exitCode = failed > 0 ? 1 : 0;
} else {
  for (const problem of parsed.problems) report(problem);
  report(usage);
  process.exitCode = 2;
}
