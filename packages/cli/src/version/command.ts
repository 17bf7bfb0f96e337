// The command `plimsoll version`.
import { coreVersion, defaultOptions } from "@plimsoll/core";
import { Command, Option } from "commander";
import { documentText } from "../output/document.ts";
import type { CliSeams, ExitCode } from "../seams.ts";

/** plimsoll version … */
export function versionCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("version")
    .description("Writes the version of this program, of the rules by which it decides, and of its runtime.")
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it")
        .choices(["table", "json", "yaml"])
        .default("table"),
    )
    .action(({ output }: { readonly output: "table" | "json" | "yaml" }) => {
      const { version, runtime = "unknown" } = seams;
      const { semantics } = defaultOptions;
      const at = new Date(seams.nowMs()).toISOString();
      seams.writeOut(
        output === "table"
          ? `plimsoll   ${version}\nrules      ${coreVersion}, of Kubernetes ${semantics}\nruntime    ${runtime}\n`
          : documentText(
              {
                schema: "plimsoll/version/v1",
                at,
                version,
                coreVersion,
                semantics,
                runtime,
                notes: [],
                errors: [],
              },
              output,
            ),
      );
      done(0);
    });
}
