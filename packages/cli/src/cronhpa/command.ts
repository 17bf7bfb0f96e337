// The command `plimsoll cronhpa`.
import { Command, Option } from "commander";
import { problemText } from "../convert/problem.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import { lintFiles } from "./lint.ts";

interface LintFlags {
  readonly timeZone: string;
  readonly output: "text" | "json";
}

/** plimsoll cronhpa … */
export function cronHpaCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const cronHpa = new Command("cronhpa").description(
    "CronHorizontalPodAutoscalers of kubernetes-cronhpa-controller.",
  );
  cronHpa
    .command("lint")
    .description(
      "Reports what is wrong with them, and what would become different under Plimsoll. Ends with 2 when there is anything.",
    )
    .argument("<FILE...>", "YAML or JSON; HorizontalPodAutoscalers in the same files are looked at too")
    .option(
      "--time-zone <ZONE>",
      "time zone that the controller runs in",
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write the report")
        .choices(["text", "json"])
        .default("text"),
    )
    .action(async (files: readonly string[], flags: LintFlags) => {
      const { objects, problems, isPartial } = await lintFiles(files, { timeZone: flags.timeZone, seams });
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

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
