import { Command, CommanderError } from "commander";
import { convertCommand } from "./convert/command.ts";
import { cronHpaCommand } from "./cronhpa/command.ts";
import { rulesCommand } from "./rules/command.ts";
import { scheduleCommand } from "./schedule/command.ts";
import { CliError, type CliSeams, type ExitCode } from "./seams.ts";

export async function runCli(seams: CliSeams): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command(seams.name)
    .description(
      "Checks rules of the metrics adapter, converts autoscalers, and tells what schedules will do.",
    )
    .version(seams.version, "--version")
    .exitOverride()
    .configureOutput({ writeOut: seams.writeOut, writeErr: seams.writeError });
  const done = (result: ExitCode): void => {
    code = result;
  };
  program.addCommand(rulesCommand(seams, done));
  program.addCommand(convertCommand(seams, done));
  program.addCommand(cronHpaCommand(seams, done));
  program.addCommand(scheduleCommand(seams, done));
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({ writeOut: seams.writeOut, writeErr: seams.writeError });
  }
  try {
    await program.parseAsync([...seams.args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (!(error instanceof CliError) && !seams.signal.aborted) throw error;
    seams.writeError(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
