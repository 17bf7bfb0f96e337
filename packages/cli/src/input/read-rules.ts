// Reads the rules file of a command.
import { printable } from "@plimsoll/component-base/text";
import { liveProblem } from "@plimsoll/metric-rules";
import { ruleQueryProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { formatProblem, type LoadedRules, loadRules } from "@plimsoll/rules";
import { CliError, type CliSeams } from "../seams.ts";
import { readInput } from "./read-input.ts";
import { rulesTextOf } from "./rules-text.ts";

/** Everything of a rules file is parsed. */
export const syntax = { promqlProblem: ruleQueryProblem, selectorProblem, liveProblem };

/** @throws CliError */
export async function readRulesText(file: string, seams: Pick<CliSeams, "readText">): Promise<string> {
  return rulesTextOf(await readInput(file, seams), file);
}

/** @throws CliError with each problem of the file */
export async function readRulesFile(
  file: string,
  seams: Pick<CliSeams, "readText">,
): Promise<LoadedRules & { readonly ok: true }> {
  const loaded = loadRules(await readRulesText(file, seams), file, syntax);
  if (loaded.ok) return loaded;
  const problems = loaded.problems.map((problem) => printable(formatProblem(file, problem)));
  throw new CliError(problems.join("\nerror: "));
}
