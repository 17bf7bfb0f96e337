// The command `plimsoll convert values`.
import { Command, Option } from "commander";
import { readInput } from "../../read-input.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import { problemText } from "../problem.ts";
import { convertValues } from "./convert-values.ts";

/** plimsoll convert values */
export function convertValuesCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("values")
    .description(
      "Writes values of the chart of Plimsoll that do what values of prometheus-adapter's chart do. Ends with 1, and writes none, when one of them has a problem.",
    )
    .argument("<FILE>", "values, as helm get values -o yaml prints them; - for the standard input")
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write them").choices(["yaml", "json"]).default("yaml"),
    )
    .action(async (file: string, { output }: { readonly output: "yaml" | "json" }) => {
      const name = file === "-" ? "(standard input)" : file;
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
