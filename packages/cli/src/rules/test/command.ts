// The command `plimsoll rules test`.
import { dirname, isAbsolute, join } from "node:path";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { type CompiledRules, formatProblem, loadRules, type Problem } from "@plimsoll/rules";
import { Command, Option } from "commander";
import { durationFlag } from "../../cluster/flags.ts";
import { printable } from "../../printable.ts";
import { readInput } from "../../read-input.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { resultLines, testDocument, totalLine } from "./report.ts";
import { runTest, type TestResult } from "./run.ts";
import { readTestFile } from "./test-file.ts";

interface TestFlags {
  readonly prometheusBin: string;
  readonly maxAge: string;
  readonly output: "table" | "json" | "yaml";
}

const example = `
A test has series as promtool writes them, a request of a metrics API, and what it gets:

  rules: rules.yaml
  tests:
    - series: [{ series: 'http_requests_total{namespace="web",pod="a"}', values: '0+60x10' }]
      at: 5m
      get: namespaces/web/pods/*/http_requests_per_second
      expect: [{ pod: a, value: "1" }]

Values are one a minute, or one each interval. In place of expect, error has a part of the message.`;

/** plimsoll rules test … */
export function rulesTestCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("test")
    .description(
      "Tests rules as the adapter evaluates them, against a Prometheus that is started for each test. Ends with 2 when a test fails.",
    )
    .argument("<FILE>", "YAML with tests; its rules file is found beside it; - for the standard input")
    .option("--prometheus-bin <FILE>", "the program Prometheus", "prometheus")
    .option("--max-age <DURATION>", "how far back series count as existing", "10m")
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it")
        .choices(["table", "json", "yaml"])
        .default("table"),
    )
    .addHelpText("after", example)
    .action(async (file: string, flags: TestFlags) => done(await testRules(file, flags, seams)));
}

async function testRules(file: string, flags: TestFlags, seams: CliSeams): Promise<ExitCode> {
  const maxAgeMs = durationFlag("--max-age", flags.maxAge, 1);
  const read = readTestFile(await readInput(file, seams));
  if (!("tests" in read)) throw refused(file, read);
  const rulesFile = isAbsolute(read.rules) || file === "-" ? read.rules : join(dirname(file), read.rules);
  const { rules, notes } = await rulesOf(rulesFile, seams);
  const results: TestResult[] = [];
  const { signal } = seams;
  for (const test of read.tests) {
    const result = await runTest(test, { rules, binary: flags.prometheusBin, maxAgeMs, signal });
    results.push(result);
    if (flags.output === "table") seams.writeOut(resultLines(result));
  }
  if (flags.output === "table") {
    seams.writeOut(totalLine(results));
  } else {
    const at = new Date(seams.nowMs()).toISOString();
    seams.writeOut(testDocument(results, flags.output, { at, notes }));
  }
  return results.every(({ ok }) => ok) ? 0 : 2;
}

async function rulesOf(
  file: string,
  seams: CliSeams,
): Promise<{ readonly rules: CompiledRules; readonly notes: readonly string[] }> {
  const loaded = loadRules(await readInput(file, seams), file, { promqlProblem, selectorProblem });
  if (!loaded.ok) throw refused(file, loaded.problems);
  const notes = loaded.warnings.map((warning) => formatProblem(file, warning));
  for (const note of notes) seams.writeError(`note: ${printable(note)}\n`);
  return { rules: loaded.rules, notes };
}

function refused(file: string, problems: readonly Problem[]): CliError {
  return new CliError(problems.map((problem) => printable(formatProblem(file, problem))).join("\nerror: "));
}
