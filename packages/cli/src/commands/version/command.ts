// The command `plimsoll version`.
import { coreVersion, defaultOptions } from "@plimsoll/core";
import { Command } from "commander";
import { outputOption } from "../../cluster/flags.ts";
import { documentText } from "../../output/document.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import type { VersionDocument } from "./document.ts";

/** plimsoll version … */
export function versionCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("version")
    .description("Prints the versions of this program, of its decision rules, and of its runtime.")
    .addOption(outputOption(["table", "json", "yaml"]))
    .action(({ output }: { readonly output: "table" | "json" | "yaml" }) => {
      const { version, runtime = "unknown" } = seams;
      const { semantics } = defaultOptions;
      const at = new Date(seams.nowMs()).toISOString();
      if (output === "table") {
        const rules = `${coreVersion}, of Kubernetes ${semantics}`;
        seams.writeOut(`plimsoll   ${version}\nrules      ${rules}\nruntime    ${runtime}\n`);
      } else {
        const document: VersionDocument = {
          schema: "plimsoll/version/v1",
          at,
          version,
          coreVersion,
          semantics,
          runtime,
          notes: [],
          errors: [],
        };
        seams.writeOut(documentText(document, output));
      }
      done(0);
    });
}
