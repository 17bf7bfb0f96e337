// The program behind `npm run task -- oracle --cases N`: compares random cases with upstream.
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

const { env: environment } = process;
const module = fileURLToPath(new URL("../../oracle", import.meta.url));
const cache = programCache(environment["XDG_CACHE_HOME"]);
const report = (line: string): void => console.error(line);

const parsed = parseOptions(process.argv.slice(2), () => String(randomInt(1_000_000_000)));
if (parsed.ok && parsed.runs[0].isServing) await serve();
else if (parsed.ok) {
  const total = { passed: 0, failed: 0 };
  for (const options of parsed.runs) {
    const program = oracleOf(options.release, module);
    const binary = await buildProgram({ program, cache, report, environment });
    const { passed, failed } = await runOracle(options, {
      binary,
      report,
      print: (text) => console.log(text),
    });
    total.passed += passed;
    total.failed += failed + (options.isEverything ? await compareWithGo(options) : 0);
  }
  if (parsed.runs[0].golden === undefined) console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
} else {
  for (const problem of parsed.problems) report(problem);
  report(usage);
  process.exitCode = 2;
}

async function serve(): Promise<void> {
  const start = async (release: Release) =>
    startUpstream(await buildProgram({ program: oracleOf(release, module), cache, report, environment }));
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
