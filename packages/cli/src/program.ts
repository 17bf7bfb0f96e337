import { messageOf } from "@plimsoll/component-base";
import { suggest } from "@plimsoll/component-base/process";
import { printableLines } from "@plimsoll/component-base/text";
import { redact } from "@plimsoll/core/redact";
import { Command, CommanderError, Help } from "commander";
import { formerNames, type ListedCommand, listedCommands, other } from "./listed-commands.ts";
import { CliError, type CliSeams, type ExitCode } from "./seams.ts";

/** Runs one command line to its end. Rejects on bugs only; whatever the user can correct is written to the error output. */
export async function runCli(seams: CliSeams): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command(seams.name)
    .description(
      "Explains autoscaling in a cluster, finds mistakes, tries changes before you make them, and helps you to move to Plimsoll. No command writes to the cluster.",
    )
    .version(seams.version, "--version")
    // What follows a command is its own: a command and its subcommand may have an option of one name.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      `\nExamples:\n  ${seams.name} explain web -n shop       # why it has these replicas\n  ${seams.name} status -A --problem       # every autoscaler with a problem\n\n${seams.name} COMMAND --help has the flags and examples of a command.\nExit codes: 0 success, 1 error, 2 success with findings, 130 interrupted.`,
    );
  const [first = "", ...words] = seams.args;
  const place = first === "help" ? 1 : 0;
  const args = seams.args.map((word, at) => (at === place ? (formerNames.get(word) ?? word) : word));
  const done = (result: ExitCode): void => {
    code = result;
  };
  await addCommands(program, { ...seams, args }, done);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: seams.writeOut,
      writeErr: (text) => seams.writeError(redact(withoutValues(text, command))),
    });
  }
  try {
    if (first === "__complete" || first === "__completeNoDesc") {
      const { writeCompletion } = await import("./commands/completion/complete.ts");
      await writeCompletion(program, words, seams);
      return 0;
    }
    await program.parseAsync(args, { from: "user" });
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
  for (const { name, summary, group, examples, load } of listedCommands) {
    const command = name === typed ? (await load())(seams, done) : new Command(name);
    addExamples(command, seams.name, examples);
    program.addCommand(command.summary(summary).helpGroup(group));
  }
  program.commandsGroup(other).helpCommand(true);
  const usual = new Help();
  const terms = new Map(listedCommands.map(({ name, term }) => [name, term]));
  program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? usual.subcommandTerm(command),
  });
}

/** Shows the examples of a command, and below it those of each subcommand. */
function addExamples(command: Command, program: string, examples: ListedCommand["examples"]): void {
  const show = (one: Command, lines: readonly string[]): void => {
    if (lines.length > 0)
      one.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${program} ${line}`).join("\n")}`);
  };
  show(command, examples);
  for (const one of command.commands)
    show(
      one,
      examples.filter((line) => line.startsWith(`${command.name()} ${one.name()}`)),
    );
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
