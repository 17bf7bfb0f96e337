// The command `plimsoll convert`.
import { Command, Option } from "commander";
import type { CliSeams, ExitCode } from "../seams.ts";
import { namedZone } from "../time-zone.ts";
import { convertFiles } from "./convert.ts";
import type { ConvertSettings } from "./converter.ts";
import { convertedKinds } from "./kinds.ts";
import { type OutputFlags, writeReport } from "./output.ts";
import { convertValuesCommand } from "./values/command.ts";

/** plimsoll convert … */
export function convertCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("convert")
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
    .action(
      async (
        files: readonly string[],
        flags: Pick<ConvertSettings, "timeZone"> & OutputFlags & { readonly mode?: ConvertSettings["mode"] },
        command: Command,
      ) => {
        const { mode, timeZone } = flags;
        namedZone(timeZone);
        const isZoneGiven = command.getOptionValueSource("timeZone") === "cli";
        const settings = { mode, timeZone, isZoneGiven, nowMs: seams.nowMs() };
        const report = await convertFiles(files, settings, seams);
        done(writeReport(report, flags, seams));
      },
    );
}
