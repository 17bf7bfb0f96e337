// The command `plimsoll convert values`.
import { convertValues } from "@plimsoll/migration/convert";
import { problemText } from "@plimsoll/migration/manifests";
import { Command } from "commander";
import { outputOption } from "../../../cluster/flags.ts";
import { readInput, shownFile } from "../../../input/read-input.ts";
import type { CliSeams, ExitCode } from "../../../seams.ts";

/** plimsoll convert values */
export function convertValuesCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("values")
    .description(
      "Converts values of prometheus-adapter's chart to values of Plimsoll's chart. If one of them has a problem, writes none and exits with 1.",
    )
    .argument("<FILE>", "output of `helm get values -o yaml`; - for standard input")
    .addOption(outputOption(["yaml", "json"]))
    .action(async (file: string, { output }: { readonly output: "yaml" | "json" }) => {
      const name = shownFile(file);
      const { document, notes, problems } = convertValues(await readInput(file, seams), name);
      if (output === "json") {
        const values: unknown = document?.toJS() ?? null;
        const whole = { schema: "plimsoll/convert-values/v1", values, notes, problems };
        seams.writeOut(`${JSON.stringify(whole, undefined, 2)}\n`);
      } else {
        for (const note of notes) seams.writeError(`note: ${problemText(note)}\n`);
        for (const problem of problems) seams.writeError(`error: ${problemText(problem)}\n`);
        if (document !== undefined) seams.writeOut(document.toString({ lineWidth: 0 }));
      }
      done(problems.length > 0 ? 1 : 0);
    });
}
