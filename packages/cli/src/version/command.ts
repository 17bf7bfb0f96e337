// The command `plimsoll version`.
import { coreVersion, defaultOptions } from "@plimsoll/core";
import { Command, Option } from "commander";
import { documentText } from "../output/document.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import type { VersionDocument } from "./document.ts";

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
