#!/usr/bin/env node
// The program behind `npm run task -- vectors PATH [PATH …]`: runs vector files.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startImplementation } from "./protocol/process.ts";
import { answerOfCore, serveAnswers } from "./protocol/serve.ts";
import { runVectors, type Totals } from "./vectors/run.ts";

const usage = `usage: plimsoll-conformance [--implementation COMMAND] [PATH …]
       plimsoll-conformance --serve

Runs conformance vectors of the HorizontalPodAutoscaler, and prints each difference and the totals. A PATH is a vector file, or
a folder that is searched for them; without one, the vectors of this package are run.

  --implementation COMMAND  runs this command and asks it, line by line; without it, @plimsoll/core is asked
  --timeout SECONDS         for each of its answers; 30 by default
  --serve                   answers such questions with @plimsoll/core
  --help                    this text

Ends with 0 when something passed and nothing failed, with 1 when something failed, all was skipped, or a file cannot be read,
and with 2 when the command line is wrong or the implementation does not start.`;

const print = (text: string) => console.log(text);
process.exitCode = await main(process.argv.slice(2).filter((argument) => argument !== "--"));

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === "string") {
    console.error(`${options}\n\n${usage}`);
    return 2;
  }
  const { help, serve, implementation, paths, timeoutMs } = options;
  if (help) print(usage);
  else if (serve) return serveCore();
  else if (implementation === undefined) return exitCodeOf(await runVectors(paths, print));
  else return ask(implementation, timeoutMs, paths);
  return 0;
}

function readOptions(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        implementation: { type: "string" },
        timeout: { type: "string", default: "30" },
        serve: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const timeoutMs = Number(values.timeout) * 1000;
    if (!(timeoutMs >= 1 && timeoutMs <= 2 ** 31 - 1))
      return `--timeout is ${values.timeout}, and must be a number of seconds above 0`;
    const ownVectors = fileURLToPath(new URL("../vectors", import.meta.url));
    return { ...values, timeoutMs, paths: positionals.length === 0 ? [ownVectors] : positionals };
  } catch (error) {
    return (error as Error).message;
  }
}

async function ask(command: string, timeoutMs: number, paths: readonly string[]): Promise<number> {
  try {
    const implementation = await startImplementation({ command, timeoutMs });
    print(`${implementation.name}\n`);
    try {
      return exitCodeOf(await runVectors(paths, print, implementation));
    } finally {
      await implementation.close();
    }
  } catch (error) {
    console.error(`${command}: ${(error as Error).message}`);
    return 2;
  }
}

/** What was skipped shows nothing. */
function exitCodeOf({ passed, failed }: Totals): number {
  return passed > 0 && failed === 0 ? 0 : 1;
}

async function serveCore(): Promise<number> {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  const { stdin: input, stdout: output } = process;
  try {
    await serveAnswers({ input, output, implementation: `@plimsoll/core ${version}`, answer: answerOfCore });
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}
