// The program behind `npm run oracle -- --cases N`: compares random cases with upstream.
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { serveAnswers } from "../protocol/serve.ts";
import { buildProgram, programCache } from "./build.ts";
import { type OracleOptions, parseOptions, usage } from "./options.ts";
import { oracleOf, type Release } from "./release.ts";
import { runOracle } from "./run.ts";
import { answerOfUpstream } from "./serve.ts";
import { compareTemplates } from "./templates/compare.ts";
import { startUpstream } from "./upstream.ts";

const module = fileURLToPath(new URL("../../oracle", import.meta.url));
const cache = programCache(process.env["XDG_CACHE_HOME"]);
const report = (line: string): void => console.error(line);

const parsed = parseOptions(process.argv.slice(2), () => String(randomInt(1_000_000_000)));
if (parsed.ok && parsed.options.isServing) await serve();
else if (parsed.ok) {
  const program = oracleOf(parsed.options.release, module);
  const binary = await buildProgram({ program, cache, report });
  const { failed } = await runOracle(parsed.options, { binary, report, print: (text) => console.log(text) });
  const different = parsed.options.isEverything ? await compareWithGo(parsed.options) : 0;
  process.exitCode = failed + different > 0 ? 1 : 0;
} else {
  for (const problem of parsed.problems) report(problem);
  report(usage);
  process.exitCode = 2;
}

async function serve(): Promise<void> {
  const start = async (release: Release) =>
    startUpstream(await buildProgram({ program: oracleOf(release, module), cache, report }));
  const upstream = answerOfUpstream(start);
  const { stdin: input, stdout: output } = process;
  const implementation = "the HorizontalPodAutoscaler controller of kube-controller-manager";
  await serveAnswers({ input, output, implementation, answer: upstream.answer });
  await upstream.close();
}

/** Ten times as many templates as cases: one costs some microseconds. */
async function compareWithGo({ cases, seed }: OracleOptions): Promise<number> {
  const compared = await compareTemplates({ module, cases: 10 * cases, seed });
  const { rendered, refusedByBoth, refusedAtLoad, mismatches } = compared;
  report(
    `templates: ${10 * cases} cases, ${rendered} rendered alike, ${refusedByBoth} refused by both, ${refusedAtLoad} refused when loaded, ${mismatches.length} mismatches`,
  );
  for (const mismatch of mismatches.slice(0, 20)) console.log(JSON.stringify(mismatch));
  return mismatches.length;
}
