// The command `plimsoll convert`.
import { type ConvertSettings, convertedKinds, convertTexts } from "@plimsoll/migration/convert";
import { Command, Option } from "commander";
import { choice, outputOption } from "../../cluster/flags.ts";
import { readInputs } from "../../input/read-input.ts";
import { namedZone } from "../../input/time-zone.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { type OutputFlags, writeReport } from "./output.ts";
import { convertValuesCommand } from "./values/command.ts";

interface ConvertFlags extends OutputFlags {
  readonly mode?: ConvertSettings["mode"];
  readonly timeZone: string;
  readonly to: "rules-file" | "metric-rules";
  readonly namespace?: string;
  readonly namespaceLabel: string;
}

/** plimsoll convert … */
export function convertCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const convert = new Command("convert")
    .enablePositionalOptions()
    .addCommand(convertValuesCommand(seams, done))
    .description(
      "Converts the autoscalers in files to WorkloadAutoscalers that do the same. If one of them has a problem, writes none and exits with 1.",
    )
    .argument("<FILE...>", "YAML or JSON with one or more objects; - for standard input")
    .addHelpText("after", `\nKinds, with their API groups: ${convertedKinds()}.`)
    .addOption(
      new Option("--mode <MODE>", "spec.mode of the output (default: Active)").choices(["Active", "Shadow"]),
    )
    .option(
      "--time-zone <ZONE>",
      "time zone of CronHorizontalPodAutoscaler jobs, and of ScalingSchedules without one",
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .option("--keep-going", "write the objects without a problem even if others have one; still exits with 1")
    .addOption(
      choice(
        "--print <WHAT>",
        "objects: the WorkloadAutoscalers. rules and sources: files for the metrics adapter's --config and --sources-config",
        ["objects", "rules", "sources"],
      ),
    )
    .addOption(outputOption(["yaml", "json"]))
    .action(async (files: readonly string[], flags: ConvertFlags, command: Command) => {
      const isZoneGiven = command.getOptionValueSource("timeZone") === "cli";
      const report = await convertTexts(readInputs(files, seams), settingsOf(flags, isZoneGiven, seams));
      if (!report.ok) throw new CliError(report.message);
      done(writeReport(report, flags, seams));
    });
  for (const option of metricRuleOptions()) convert.addOption(option);
  return convert;
}

function metricRuleOptions(): readonly Option[] {
  return [
    choice(
      "--to <WHAT>",
      "where to put queries. rules-file: the metrics adapter's rules file. metric-rules: MetricRules next to the objects, also for the rules files of prometheus-adapter among the FILEs",
      ["rules-file", "metric-rules"],
    ),
    new Option(
      "-n, --namespace <NAMESPACE>",
      "with --to metric-rules: namespace of MetricRules from a rules file, and from objects without one",
    ),
    new Option(
      "--namespace-label <LABEL>",
      "with --to metric-rules: same as --metric-rule-namespace-label of the metrics adapter",
    ).default("namespace"),
  ];
}

/** @throws CliError for a time zone that there is not. */
function settingsOf(
  { mode, timeZone, to, namespace, namespaceLabel }: ConvertFlags,
  isZoneGiven: boolean,
  { nowMs }: CliSeams,
): ConvertSettings {
  namedZone(timeZone);
  const metricRules = to === "metric-rules" ? { namespace, namespaceLabel } : undefined;
  return { mode, timeZone, isZoneGiven, nowMs: nowMs(), metricRules };
}
