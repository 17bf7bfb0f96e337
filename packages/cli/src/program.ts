import { messageOf } from "@plimsoll/component-base";
import { suggest } from "@plimsoll/component-base/process";
import { redact } from "@plimsoll/core/redact";
import { Command, CommanderError } from "commander";
import { bundleCommand } from "./bundle/command.ts";
import { completionCommand } from "./completion/command.ts";
import { writeCompletion } from "./completion/complete.ts";
import { convertCommand } from "./convert/command.ts";
import { cronHpaCommand } from "./cronhpa/command.ts";
import { doctorCommand } from "./doctor/command.ts";
import { explainCommand } from "./explain/command.ts";
import { printableLines } from "./printable.ts";
import { replayCommand } from "./replay/command.ts";
import { rulesCommand } from "./rules/command.ts";
import { scheduleCommand } from "./schedule/command.ts";
import { CliError, type CliSeams, type ExitCode } from "./seams.ts";
import { shadowCommand } from "./shadow/command.ts";
import { statusCommand } from "./status/command.ts";
import { topCommand } from "./top/command.ts";
import { versionCommand } from "./version/command.ts";
import { watchCommand } from "./watch/command.ts";

/** Runs one command line to its end. Rejects on bugs only; whatever the user can correct is written to the error output. */
export async function runCli(seams: CliSeams): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command(seams.name)
    .description(
      "Explains autoscalers of a cluster, checks rules of the metrics adapter, converts autoscalers, and shows what schedules will do.",
    )
    .version(seams.version, "--version");
  const done = (result: ExitCode): void => {
    code = result;
  };
  program.addCommand(explainCommand(seams, done));
  program.addCommand(statusCommand(seams, done));
  program.addCommand(topCommand(seams, done));
  program.addCommand(watchCommand(seams, done));
  program.addCommand(shadowCommand(seams, done));
  program.addCommand(rulesCommand(seams, done));
  program.addCommand(convertCommand(seams, done));
  program.addCommand(cronHpaCommand(seams, done));
  program.addCommand(scheduleCommand(seams, done));
  program.addCommand(replayCommand(seams, done));
  program.addCommand(doctorCommand(seams, done));
  program.addCommand(bundleCommand(seams, done));
  program.addCommand(completionCommand(seams, done));
  program.addCommand(versionCommand(seams, done));
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: seams.writeOut,
      writeErr: (text) => seams.writeError(redact(withoutValues(text, command))),
    });
  }
  try {
    const [first, ...words] = seams.args;
    if (first === "__complete" || first === "__completeNoDesc") {
      await writeCompletion(program, words, seams);
      return 0;
    }
    await program.parseAsync([...seams.args], { from: "user" });
    return seams.signal.aborted ? 130 : code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (seams.signal.aborted) return 130;
    if (!(error instanceof CliError)) throw error;
    seams.writeError(`error: ${printableLines(redact(messageOf(error)))}\n`);
    return 1;
  }
}

/** Removes values from a message of commander, because a value that it could not place may be a credential. */
function withoutValues(text: string, command: Command): string {
  const [, flag] = /^error: unknown option '(-[^'=]*)=/.exec(text) ?? [];
  if (flag === undefined) return text.replace(/( but got \d+): [^]*$/, "$1.\n");
  const known = command.createHelp().visibleOptions(command);
  const meant = suggest(
    flag,
    known.flatMap(({ long }) => long ?? []),
  );
  return `error: unknown option '${flag}'\n${meant === undefined ? "" : `(Did you mean ${meant}?)\n`}`;
}
