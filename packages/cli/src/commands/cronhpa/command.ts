// The command `plimsoll cronhpa`.
import { counted } from "@plimsoll/core/internal/values";
import { lintTexts } from "@plimsoll/migration/cronhpa";
import { problemText } from "@plimsoll/migration/manifests";
import { Command } from "commander";
import { outputOption } from "../../cluster/flags.ts";
import { readInputs } from "../../input/read-input.ts";
import { namedZone } from "../../input/time-zone.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";

interface LintFlags {
  readonly timeZone: string;
  readonly output: "text" | "json";
}

/** plimsoll cronhpa … */
export function cronHpaCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const cronHpa = new Command("cronhpa").description(
    "Checks CronHorizontalPodAutoscalers of kubernetes-cronhpa-controller.",
  );
  cronHpa
    .command("lint")
    .description("Reports mistakes, and what Plimsoll does differently. Exits with 2 when there are any.")
    .argument("<FILE...>", "YAML or JSON; also checks HorizontalPodAutoscalers in the same files")
    .option(
      "--time-zone <ZONE>",
      "time zone of the controller",
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .addOption(outputOption(["text", "json"]))
    .action(async (files: readonly string[], flags: LintFlags) => {
      namedZone(flags.timeZone);
      const { objects, problems, isPartial } = await lintTexts(readInputs(files, seams), {
        timeZone: flags.timeZone,
        nowMs: seams.nowMs(),
      });
      if (objects === 0 && problems.length === 0)
        throw new CliError(`no CronHorizontalPodAutoscaler in ${files.join(", ")}`);
      const found = isPartial ? 1 : 2;
      done(problems.length > 0 ? found : 0);
      if (flags.output === "json") {
        const document = { schema: "plimsoll/cronhpa-lint/v1", objects, problems };
        seams.writeOut(`${JSON.stringify(document, undefined, 2)}\n`);
        return;
      }
      for (const problem of problems) seams.writeOut(`${problemText(problem)}\n`);
      const summary = problems.length === 0 ? "no findings" : counted(problems.length, "finding");
      seams.writeOut(`${counted(objects, "object")}, ${summary}\n`);
    });
  return cronHpa;
}
