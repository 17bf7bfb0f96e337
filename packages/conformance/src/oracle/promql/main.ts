// The program behind `npm run task -- promql --cases N`: proves the namespace enforcement against real parsers.
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { programCache } from "../build.ts";
import { parsePromqlOptions, usage } from "./options.ts";
import { type PromqlParser, promqlPrograms, startParser } from "./parsers.ts";
import { runPromql } from "./run.ts";

const { env: environment } = process;
const module = fileURLToPath(new URL("../../../oracle/promql", import.meta.url));
const cache = programCache(environment["XDG_CACHE_HOME"]);
const report = (line: string): void => console.error(line);

const parsed = parsePromqlOptions(process.argv.slice(2), () => randomInt(1_000_000_000));
if (parsed.ok) {
  report(`seed ${parsed.options.seed}`);
  const [first, ...others] = promqlPrograms(module);
  const parsers: [PromqlParser, ...PromqlParser[]] = [
    await startParser(first, { cache, report, environment }),
  ];
  for (const program of others) parsers.push(await startParser(program, { cache, report, environment }));
  const { passed, failed } = await runPromql(parsed.options, parsers, report);
  for (const parser of parsers) await parser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} else {
  report(parsed.problem);
  report(usage);
  process.exitCode = 2;
}
