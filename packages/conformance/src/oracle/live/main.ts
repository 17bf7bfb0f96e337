// The program behind `npm run task -- live-oracle --cases N`: live queries answer as Prometheus' engine does.
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildProgram, programCache } from "../build.ts";
import { startLineProcess } from "../line-process.ts";
import { promqlPrograms } from "../promql/parsers.ts";
import type { EngineResult } from "./cases.ts";
import { type Engine, runLive } from "./run.ts";

const usage = `npm run task -- live-oracle [--cases N] [--seed S]

Runs N random live queries [1000] on random series, and the same on the engine of Prometheus 3.8. Every result has to be
the same to the last bit, and every error of the same kind.`;

const { env: environment } = process;
const report = (line: string): void => console.error(line);

const options = { cases: { type: "string" }, seed: { type: "string" } } as const;
const { values } = parseArgs({ options });
const [cases, seed] = [Number(values.cases ?? 1_000), Number(values.seed ?? randomInt(1_000_000_000))];
if (Number.isSafeInteger(cases) && cases > 0 && Number.isSafeInteger(seed)) {
  report(`seed ${seed}`);
  const module = fileURLToPath(new URL("../../../oracle/promql", import.meta.url));
  const [program] = promqlPrograms(module);
  const cache = programCache(environment["XDG_CACHE_HOME"]);
  const child = startLineProcess(await buildProgram({ program, cache, report, environment }));
  const engine: Engine = async (asked) => {
    const line = await child.request(JSON.stringify({ evaluate: { cases: asked } }));
    if (line === undefined) throw new Error("the engine ended during a request");
    return (JSON.parse(line) as { readonly results: readonly EngineResult[] }).results;
  };
  const { passed, failed, nonempty, refused, errors } = await runLive({ cases, seed }, engine, report);
  await child.close();
  report(`${nonempty} results with series, ${errors} errors and ${refused} refusals on our side`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} else {
  report(usage);
  process.exitCode = 2;
}
