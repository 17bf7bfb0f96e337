import { Command, CommanderError, Option } from "commander";
import { type Flag, placeholder } from "./flag.ts";

export type CommandLineResult =
  /** What was set, by flag name, each value as it was written. */
  | { readonly type: "values"; readonly values: ReadonlyMap<string, readonly string[]> }
  /** --help or --version: print this and be done. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "problems"; readonly problems: readonly string[] };

export interface CommandLine {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly flags: readonly Flag[];
}

/** Reads the arguments behind the program's name, with Go's spelling: --flag, --flag=value, --flag value. */
export function parseCommandLine(line: CommandLine, args: readonly string[]): CommandLineResult {
  const values = new Map<string, string[]>();
  let text = "";
  const program = new Command(line.name)
    .description(line.summary)
    .version(line.version, "--version")
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({
      writeOut: (part) => {
        text += part;
      },
      writeErr: () => {},
    });
  for (const flag of line.flags) {
    program.addOption(
      toOption(flag, (value) => {
        const known = values.get(flag.name);
        values.set(flag.name, [...(known ?? []), value]);
      }),
    );
  }
  try {
    program.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    return error.exitCode === 0
      ? { type: "text", text }
      : { type: "problems", problems: [error.message.replace(/^error: /, "")] };
  }
  const problems = program.args.map((arg) =>
    arg.startsWith("-") ? `unknown flag: ${arg.split("=")[0]}` : `unexpected argument: ${arg}`,
  );
  return problems.length > 0 ? { type: "problems", problems } : { type: "values", values };
}

function toOption(flag: Flag, set: (value: string) => void): Option {
  const short = flag.name.length === 1 ? `-${flag.name}, ` : "";
  const fallback = flag.fallback === "" ? "" : ` (default ${flag.fallback})`;
  const option = new Option(`${short}--${flag.name} ${placeholder(flag.kind)}`, `${flag.help}${fallback}`);
  option.helpGroup(`${flag.section}:`);
  if (flag.kind === "bool") {
    option.preset("true");
  }
  option.argParser((value: string) => {
    set(value);
    return value;
  });
  return option;
}
