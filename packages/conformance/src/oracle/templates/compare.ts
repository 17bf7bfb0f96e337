// Compares the rendering of random Go templates with Go's.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { compileQueryTemplate, TemplateError } from "@plimsoll/prometheus";
import { createRandom } from "../random.ts";
import { makeTemplate } from "./generate.ts";

/** The result of a template: its text, or the stage at which it was refused. */
export interface TemplateOutcome {
  readonly output?: string;
  readonly error?: "compile" | "render";
  readonly reason?: string;
}

/** What docs/compatibility.md says is refused. */
const documented =
  /(?:is|are) (?:not )?supported|printf does not support|printf needs its format|nil is not a command|only a function takes arguments/;
/** The one refusal for which the data must be known. */
const cutsCharacter = /^slice \d+ to \d+ cuts a character$/;

function isDocumented({ error, reason = "" }: TemplateOutcome): boolean {
  return error === "compile" ? documented.test(reason) : error === "render" && cutsCharacter.test(reason);
}

export interface TemplateMismatch {
  readonly template: string;
  readonly go: TemplateOutcome;
  readonly ours: TemplateOutcome;
}

export interface TemplateComparison {
  readonly rendered: number;
  readonly refusedByBoth: number;
  /** Templates that are refused here whatever Go does: docs/compatibility.md lists what. */
  readonly refusedAtLoad: number;
  readonly mismatches: readonly TemplateMismatch[];
}

/** As in oracle/template/main.go. */
const data = {
  series: "x_total",
  labelMatchers: 'a="b",c="d"',
  labelValuesByName: new Map([
    ["namespace", "ns"],
    ["service", "s1|s2"],
  ]),
  groupBy: ["pod", "container"],
};

/** Renders random templates with Go's text/template and with ours. */
export async function compareTemplates(options: {
  /** The folder of the Go module. */
  readonly module: string;
  readonly cases: number;
  readonly seed: string;
}): Promise<TemplateComparison> {
  const random = createRandom(`templates ${options.seed}`);
  const templates = Array.from({ length: options.cases }, () => makeTemplate(random));
  const outcomes = templates.map((template) => ({ template, ours: outcomeOf(template) }));
  // These are not run in Go: it would count to numbers beyond 2^53, one by one.
  const compared = outcomes.filter(({ ours }) => !isDocumented(ours));
  const results = await runGo(
    options.module,
    compared.map(({ template }) => template),
  );
  const mismatches: TemplateMismatch[] = [];
  let [rendered, refusedByBoth] = [0, 0];
  for (const [at, { template, ours }] of compared.entries()) {
    const go = results[at] ?? {};
    if (go.error !== undefined && ours.error !== undefined) refusedByBoth += 1;
    else if (go.output !== undefined && go.output === ours.output) rendered += 1;
    else mismatches.push({ template, go, ours });
  }
  const refusedAtLoad = outcomes.length - compared.length;
  return { rendered, refusedByBoth, refusedAtLoad, mismatches };
}

export function outcomeOf(template: string): TemplateOutcome {
  let stage: "compile" | "render" = "compile";
  try {
    const compiled = compileQueryTemplate(template);
    stage = "render";
    return { output: compiled.render(data) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { error: stage, reason: error.reason };
  }
}

/** Built and run in one go: the program needs nothing but Go's own library. */
async function runGo(module: string, templates: readonly string[]): Promise<readonly TemplateOutcome[]> {
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-template-"));
  try {
    const binary = join(folder, "template");
    await promisify(execFile)("go", ["build", "-trimpath", "-o", binary, "./template"], { cwd: module });
    const child = promisify(execFile)(binary, { maxBuffer: 1 << 28 });
    child.child.stdin?.end(templates.map((template) => JSON.stringify(template)).join("\n"));
    const { stdout } = await child;
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as TemplateOutcome);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
