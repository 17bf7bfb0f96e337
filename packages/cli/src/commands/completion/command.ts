// The command `plimsoll completion`.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileErrorText, replaceFile } from "@plimsoll/component-base/process";
import { Command } from "commander";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";

/** kubectl calls a program of this name for completions of `kubectl plimsoll`. */
const scriptName = "kubectl_complete-plimsoll";

const script = `#!/usr/bin/env sh
# Completes "kubectl plimsoll": kubectl runs the program ${scriptName} on the PATH with the words typed so far.
if command -v plimsoll >/dev/null 2>&1; then
  exec plimsoll __complete "$@"
fi
exec kubectl-plimsoll __complete "$@"
`;

const sameForShells = `completion takes no shell: the program that it writes is the same for all of them. --install DIR puts it on the PATH; "kubectl completion --help" sets up the shell`;

/** plimsoll completion … */
export function completionCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("completion")
    .description(`Prints the program ${scriptName}, which lets kubectl complete "kubectl plimsoll".`)
    .option("--install <DIR>", "install it in this directory, which must be on the PATH")
    .addHelpText(
      "after",
      `\nkubectl completes plugins when its own completion is set up: kubectl completion --help`,
    )
    .allowExcessArguments()
    .action(async ({ install }: { readonly install?: string }, { args }: Command) => {
      if (args.length > 0) throw new CliError(sameForShells);
      if (install === undefined) seams.writeOut(script);
      else seams.writeError(`wrote ${await installed(install)}\n`);
      done(0);
    });
}

/** @throws CliError */
async function installed(directory: string): Promise<string> {
  const path = join(directory, scriptName);
  try {
    await mkdir(directory, { recursive: true });
    await replaceFile(path, script, 0o755);
    return path;
  } catch (error) {
    throw new CliError(`cannot write ${path}: ${fileErrorText(error, path)}`);
  }
}
