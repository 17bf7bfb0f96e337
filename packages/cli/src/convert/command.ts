// The command `plimsoll convert`.
import { Command, Option } from "commander";
import { printable } from "../printable.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import { namedZone } from "../time-zone.ts";
import { type ConvertReport, convertFiles } from "./convert.ts";
import type { ConvertSettings } from "./converter.ts";
import { problemText } from "./problem.ts";
import { fileText } from "./rules-file.ts";
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
        flags: Pick<ConvertSettings, "timeZone"> & {
          readonly mode?: ConvertSettings["mode"];
          readonly output: "yaml" | "json";
          readonly print: Printed;
        },
        command: Command,
      ) => {
        const { mode, timeZone } = flags;
        namedZone(timeZone);
        const isZoneGiven = command.getOptionValueSource("timeZone") === "cli";
        const settings = { mode, timeZone, isZoneGiven, nowMs: seams.nowMs() };
        const report = await convertFiles(files, settings, seams);
        const code = report.problems.length > 0 ? 1 : 0;
        if (flags.output === "json") {
          seams.writeOut(`${JSON.stringify(jsonReport(report), undefined, 2)}\n`);
        } else {
          writeFindings(report, flags.print, seams);
          if (code === 0) seams.writeOut(printed(report, flags.print));
        }
        done(code);
      },
    );
}

type Printed = "objects" | "rules" | "sources";

/** Nothing of what was converted is in it when there is a problem. */
function jsonReport({ documents, files, notes, problems }: ConvertReport): object {
  const isRefused = problems.length > 0;
  return {
    schema: "plimsoll/convert/v1",
    objects: isRefused ? [] : documents.map((document): unknown => document.toJS()),
    rules: isRefused ? { externalRules: [] } : files.rules,
    sources: isRefused ? { sources: [] } : files.sources,
    notes,
    problems,
  };
}

function writeFindings({ files, notes, problems }: ConvertReport, what: Printed, seams: CliSeams): void {
  if (what === "objects") for (const note of notes) seams.writeError(`note: ${problemText(note)}\n`);
  for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
  if (problems.length > 0 || what !== "objects") return;
  const { length: rules } = files.rules.externalRules;
  const { length: sources } = files.sources.sources;
  if (rules > 0)
    seams.writeError(
      `note: ${rules === 1 ? "1 metric needs a rule" : `${rules} metrics need rules`} of metrics-adapter: --print rules writes them\n`,
    );
  if (files.onlyAddress !== undefined)
    seams.writeError(
      `note: the rules are for the Prometheus at ${printable(files.onlyAddress)}: see that it is the --prometheus-url of metrics-adapter\n`,
    );
  if (sources > 0)
    seams.writeError(
      `note: ${sources === 1 ? "1 server is" : `${sources} servers are`} described for --sources-config of metrics-adapter: --print sources writes that\n`,
    );
}

function printed({ documents, files }: ConvertReport, what: Printed): string {
  if (what === "rules") return fileText(files.rules);
  if (what === "sources") return fileText(files.sources);
  return documents.map((document) => document.toString({ lineWidth: 0 })).join("---\n");
}
