// The command `plimsoll rules`.
import { Command } from "commander";
import { prometheusHeaders } from "../../cluster/connect.ts";
import { outputOption } from "../../cluster/flags.ts";
import { readInput } from "../../input/read-input.ts";
import { rulesIn, rulesTextOf } from "../../input/rules-text.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { againstOf, type RuleQueryFlags, ruleQueryOptions } from "./against.ts";
import { checkRules } from "./check.ts";
import { checkMetricRules } from "./check-metric-rules.ts";
import { type OtherOwners, readOtherOwners } from "./owners.ts";
import { rulesQueryCommand } from "./query/command.ts";
import { jsonReport, textReport } from "./report.ts";
import { rulesTestCommand } from "./test/command.ts";

interface CheckFlags extends RuleQueryFlags {
  readonly output: "text" | "json";
  readonly namespaceLabel: string;
  readonly ownersWith?: readonly string[];
  readonly federationConfig?: string;
}

/** @throws CliError */
async function othersOf(flags: CheckFlags, seams: CliSeams): Promise<OtherOwners | undefined> {
  const { ownersWith = [], federationConfig, namespaceLabel } = flags;
  if (ownersWith.length === 0 && federationConfig === undefined) return undefined;
  if (againstOf(flags) === undefined)
    throw new CliError(
      "--owners-with and --federation-config need --against, because they read the metrics from Prometheus",
    );
  return await readOtherOwners({ metricRules: ownersWith, federationConfig }, namespaceLabel, seams);
}

/** plimsoll rules … */
export function rulesCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const rules = new Command("rules").description("Checks, queries, and tests rules of the metrics adapter.");
  const check = rules
    .command("check")
    .description(
      "Reports every problem and warning of a rules file with its line. Also checks the MetricRules and the queries of WorkloadAutoscalers in a file. Exits with 2 when there are any.",
    )
    .argument("FILE", "rules file, ConfigMap or chart values with rules, or objects; - for standard input")
    .option(
      "--against <URL>",
      "also show what each rule finds in this Prometheus, and what its query returns",
    )
    .option(
      "--owners-with <FILES...>",
      "with --against: also show which rule serves each metric. Includes the MetricRules of these files",
    )
    .option("--federation-config <FILE>", "with --against: also consider the backends of this file")
    .option("--kubeconfig <FILE>", "read the resources of this cluster instead of assuming the usual ones")
    .option(
      "--namespace-label <LABEL>",
      "label that confines MetricRules and queries to a namespace",
      "namespace",
    )
    .addOption(outputOption(["text", "json"]))
    .action(async (file: string, flags: CheckFlags) => {
      const text = await readInput(file, seams);
      const metricRules = checkMetricRules(text, file, flags.namespaceLabel);
      if (metricRules !== undefined) {
        if (rulesIn(text, file) !== undefined)
          throw new CliError(`${file} has a ConfigMap with rules beside MetricRules: check each in a file`);
        seams.writeOut(flags.output === "json" ? metricRules.json : metricRules.text);
        return done(metricRules.findings > 0 ? 2 : 0);
      }
      const report = await checkRules({
        file,
        text: rulesTextOf(text, file),
        against: againstOf(flags),
        kubeconfig: flags.kubeconfig,
        tokenFile: flags.tokenFile,
        caFile: flags.caFile,
        headers: prometheusHeaders(flags),
        sourcesConfig: flags.sourcesConfig,
        maxAge: flags.maxAge,
        others: await othersOf(flags, seams),
        seams,
      });
      seams.writeOut(flags.output === "json" ? jsonReport(report) : textReport(report));
      done(report.findings > 0 ? 2 : 0);
    });
  for (const option of ruleQueryOptions()) check.addOption(option);
  rules.addCommand(rulesTestCommand(seams, done));
  rules.addCommand(rulesQueryCommand(seams, done));
  return rules;
}
