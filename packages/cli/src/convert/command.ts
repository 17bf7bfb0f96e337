import { Command, Option } from "commander";
import type { CliSeams, ExitCode } from "../seams.ts";
import { convertFiles } from "./convert.ts";
import type { ConvertSettings } from "./converter.ts";
import { problemText } from "./problem.ts";

/** plimsoll convert … */
export function convertCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("convert")
    .description(
      "Writes WorkloadAutoscalers that do what the autoscalers in the files do. Ends with 2, and writes none, when one of them has a problem.",
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
    .action(
      async (
        files: readonly string[],
        flags: Pick<ConvertSettings, "timeZone"> & { readonly mode?: ConvertSettings["mode"] },
        command: Command,
      ) => {
        const { mode, timeZone } = flags;
        const isZoneGiven = command.getOptionValueSource("timeZone") === "cli";
        const settings = { mode, timeZone, isZoneGiven, nowMs: seams.nowMs() };
        const { documents, notes, problems } = await convertFiles(files, settings, seams);
        for (const note of notes) seams.writeError(`note: ${problemText(note)}\n`);
        for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
        if (problems.length === 0) {
          seams.writeOut(documents.map((document) => document.toString({ lineWidth: 0 })).join("---\n"));
        }
        done(problems.length > 0 ? 2 : 0);
      },
    );
}
