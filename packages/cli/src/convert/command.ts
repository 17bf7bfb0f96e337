// The command `plimsoll convert`.
import { Command, Option } from "commander";
import type { CliSeams, ExitCode } from "../seams.ts";
import { namedZone } from "../time-zone.ts";
import { convertFiles } from "./convert.ts";
import type { ConvertSettings } from "./converter.ts";
import { convertedKinds } from "./kinds.ts";
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
      "Writes WorkloadAutoscalers that do what the autoscalers in the files do. Ends with 1, and writes none, when one of them has a problem.",
    )
    .argument("<FILE...>", "YAML or JSON, of one or more objects; - for the standard input")
    .addHelpText("after", `\nKinds, with their API groups: ${convertedKinds()}.`)
    .addOption(
      new Option("--mode <MODE>", "spec.mode of what is written; without it they are Active").choices([
        "Active",
        "Shadow",
      ]),
    )
    .option(
      "--time-zone <ZONE>",
      "time zone of the jobs of CronHorizontalPodAutoscalers, and of ScalingSchedules without one",
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .option(
      "--keep-going",
      "write what has no problem, even if other objects have one; ends with 1 all the same",
    )
    .addOption(
      new Option(
        "--print <WHAT>",
        "objects: the WorkloadAutoscalers. rules, sources: what metrics-adapter needs for their metrics, as files of --config and --sources-config",
      )
        .choices(["objects", "rules", "sources"])
        .default("objects"),
    )
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write them").choices(["yaml", "json"]).default("yaml"),
    )
    .action(async (files: readonly string[], flags: ConvertFlags, command: Command) => {
      const isZoneGiven = command.getOptionValueSource("timeZone") === "cli";
      const report = await convertFiles(files, settingsOf(flags, isZoneGiven, seams), seams);
      done(writeReport(report, flags, seams));
    });
  for (const option of metricRuleOptions()) convert.addOption(option);
  return convert;
}

function metricRuleOptions(): readonly Option[] {
  return [
    new Option(
      "--to <WHAT>",
      "where queries go: rules-file, of metrics-adapter; metric-rules: MetricRules beside the objects, also of the rules files of prometheus-adapter among the FILEs",
    )
      .choices(["rules-file", "metric-rules"])
      .default("rules-file"),
    new Option(
      "-n, --namespace <NAMESPACE>",
      "with --to metric-rules: the namespace of MetricRules whose objects name none, and of those of a rules file",
    ),
    new Option(
      "--namespace-label <LABEL>",
      "with --to metric-rules: what they are confined by, as --metric-rule-namespace-label of metrics-adapter",
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
