import { messageOf } from "@plimsoll/component-base";
import { suggest } from "@plimsoll/component-base/process";
import { redact } from "@plimsoll/core/redact";
import { Command, CommanderError, Help } from "commander";
import { listedCommands } from "./listed-commands.ts";
import { printableLines } from "./printable.ts";
import { CliError, type CliSeams, type ExitCode } from "./seams.ts";

/** Runs one command line to its end. Rejects on bugs only; whatever the user can correct is written to the error output. */
export async function runCli(seams: CliSeams): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command(seams.name)
    .description(
      "Explains autoscalers of a cluster, checks rules of the metrics adapter, converts autoscalers, and shows what schedules will do.",
    )
    .version(seams.version, "--version")
    // What follows a command is its own: a command and its subcommand may have an option of one name.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 could not do it, 2 done and found something, 130 interrupted. No command writes to the cluster.",
    );
  const done = (result: ExitCode): void => {
    code = result;
  };
  await addCommands(program, seams, done);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: seams.writeOut,
      writeErr: (text) => seams.writeError(redact(withoutValues(text, command))),
    });
  }
  try {
    const [first, ...words] = seams.args;
    if (first === "__complete" || first === "__completeNoDesc") {
      const { writeCompletion } = await import("./completion/complete.ts");
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

/** Adds the command that is typed, and of the others what the help lists. */
async function addCommands(
  program: Command,
  seams: CliSeams,
  done: (result: ExitCode) => void,
): Promise<void> {
  const [first = "", second] = seams.args;
  const typed = ["help", "__complete", "__completeNoDesc"].includes(first) ? second : first;
  for (const { name, description, load } of listedCommands)
    program.addCommand(
      name === typed ? (await load())(seams, done) : new Command(name).description(description),
    );
  const usual = new Help();
  const terms = new Map(listedCommands.map(({ name, term }) => [name, term]));
  program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? usual.subcommandTerm(command),
  });
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
