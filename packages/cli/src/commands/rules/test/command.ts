// The command `plimsoll rules test`.
import { dirname, isAbsolute, join } from "node:path";
import { printable } from "@plimsoll/component-base/text";
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { type CompiledRules, formatProblem, loadRules, type Problem } from "@plimsoll/rules";
import { Command } from "commander";
import { durationFlag, outputOption } from "../../../cluster/flags.ts";
import { readInput } from "../../../input/read-input.ts";
import { readRulesText } from "../../../input/read-rules.ts";
import { documentText } from "../../../output/document.ts";
import { CliError, type CliSeams, type ExitCode } from "../../../seams.ts";
import type { RulesTestDocument } from "./document.ts";
import { runTest, type TestResult } from "./run.ts";
import { type Expected, type ExpectedItem, readTestFile } from "./test-file.ts";

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
      "Tests rules as the adapter evaluates them, in a new Prometheus for each test. Exits with 2 when a test fails.",
    )
    .argument("<FILE>", "YAML with tests. The path of its rules file is relative to it. - for standard input")
    .option("--prometheus-bin <FILE>", "path of the Prometheus program", "prometheus")
    .option("--max-age <DURATION>", "how far back to look for series", "10m")
    .addOption(outputOption(["table", "json", "yaml"]))
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
  const loaded = loadRules(await readRulesText(file, seams), file, { promqlProblem, selectorProblem });
  if (!loaded.ok) throw refused(file, loaded.problems);
  const notes = loaded.warnings.map((warning) => formatProblem(file, warning));
  for (const note of notes) seams.writeError(`note: ${printable(note)}\n`);
  return { rules: loaded.rules, notes };
}

function refused(file: string, problems: readonly Problem[]): CliError {
  return new CliError(problems.map((problem) => printable(formatProblem(file, problem))).join("\nerror: "));
}

/** One test: a line, and where it failed what was expected and what came. */
function resultLines({ name, get, ok, expected, got }: TestResult): string {
  const headline = `${ok ? "ok    " : "FAILED"}  ${name}  ${get}`;
  const lines = ok ? [headline] : [headline, ...side("expected", expected), ...side("got", got)];
  return `${lines.map(printable).join("\n")}\n`;
}

/** Such as "2 tests: 1 passed, 1 failed". */
function totalLine(results: readonly TestResult[]): string {
  const passed = results.filter(({ ok }) => ok).length;
  const failed = results.length - passed;
  return `${results.length} test${results.length === 1 ? "" : "s"}: ${passed} passed, ${failed} failed\n`;
}

/** The machine's form; its fields are only ever added to. */
function testDocument(
  results: readonly TestResult[],
  format: "json" | "yaml",
  more: { readonly at: string; readonly notes: readonly string[] },
): string {
  const passed = results.filter(({ ok }) => ok).length;
  const failed = results.length - passed;
  const { at, notes } = more;
  const document: RulesTestDocument = {
    schema: "plimsoll/rules-test/v1",
    at,
    tests: results,
    passed,
    failed,
    notes,
    errors: [],
  };
  return documentText(document, format);
}

function side(name: string, values: Expected): readonly string[] {
  const texts = "error" in values ? [`error ${values.error}`] : values.map(itemText);
  return (texts.length === 0 ? ["nothing"] : texts).map(
    (text, index) => `        ${(index === 0 ? name : "").padEnd(10)}${text}`,
  );
}

function itemText(item: ExpectedItem): string {
  const labels = Object.entries(item).filter(([key]) => key !== "value");
  return [...labels.map(([key, value]) => `${key}=${value}`), item["value"] ?? ""].join("  ");
}
