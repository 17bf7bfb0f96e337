// The command `plimsoll convert`.
import { Command, Option } from "commander";
import type { CliSeams, ExitCode } from "../seams.ts";
import { namedZone } from "../time-zone.ts";
import { convertFiles } from "./convert.ts";
import type { ConvertSettings } from "./converter.ts";
import { problemText } from "./problem.ts";
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
    .addOption(
      new Option("--mode <MODE>", "spec.mode of what is written; without it they are Active").choices([
        "Active",
        "Shadow",
      ]),
    )
    .option(
      "--time-zone <ZONE>",
      "time zone of the jobs of CronHorizontalPodAutoscalers",
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write them").choices(["yaml", "json"]).default("yaml"),
    )
    .action(
      async (
        files: readonly string[],
        flags: Pick<ConvertSettings, "timeZone"> & {
          readonly mode?: ConvertSettings["mode"];
          readonly output: "yaml" | "json";
        },
        command: Command,
      ) => {
        const { mode, timeZone } = flags;
        namedZone(timeZone);
        const isZoneGiven = command.getOptionValueSource("timeZone") === "cli";
        const settings = { mode, timeZone, isZoneGiven, nowMs: seams.nowMs() };
        const { documents, notes, problems } = await convertFiles(files, settings, seams);
        if (flags.output === "json") {
          const objects = problems.length > 0 ? [] : documents.map((document): unknown => document.toJS());
          seams.writeOut(
            `${JSON.stringify({ schema: "plimsoll/convert/v1", objects, notes, problems }, undefined, 2)}\n`,
          );
          done(problems.length > 0 ? 1 : 0);
          return;
        }
        for (const note of notes) seams.writeError(`note: ${problemText(note)}\n`);
        for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
        if (problems.length === 0) {
          seams.writeOut(documents.map((document) => document.toString({ lineWidth: 0 })).join("---\n"));
        }
        done(problems.length > 0 ? 1 : 0);
      },
    );
}
