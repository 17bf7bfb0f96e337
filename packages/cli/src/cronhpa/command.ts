import { Command } from "commander";
import { problemText } from "../convert/problem.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import { lintFiles } from "./lint.ts";

/** plimsoll cronhpa … */
export function cronHpaCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const cronHpa = new Command("cronhpa").description(
    "CronHorizontalPodAutoscalers of kubernetes-cronhpa-controller.",
  );
  cronHpa
    .command("lint")
    .description(
      "Tells what is wrong with them, and what would become different under Plimsoll. Ends with 2 when there is anything.",
    )
    .argument("<FILE...>", "YAML or JSON; HorizontalPodAutoscalers in the same files are looked at too")
    .option(
      "--time-zone <ZONE>",
      "time zone that the controller runs in",
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .action(async (files: readonly string[], flags: { readonly timeZone: string }) => {
      const { objects, problems } = await lintFiles(files, { timeZone: flags.timeZone, seams });
      for (const problem of problems) seams.writeOut(`${problemText(problem)}\n`);
      const verdict = problems.length === 0 ? "no findings" : counted(problems.length, "finding");
      seams.writeOut(`${counted(objects, "object")}, ${verdict}\n`);
      done(problems.length > 0 ? 2 : 0);
    });
  return cronHpa;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
