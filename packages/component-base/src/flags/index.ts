// Flags of a process: one table, from which values, problems and --help come.
import { Command, Option } from "commander";
import { type FlagTable, placeholder } from "./flag.ts";
import { spelling } from "./parse-flags.ts";

export { type Flag, type FlagKind, type FlagTable, placeholder, section } from "./flag.ts";
export {
  createFlagReader,
  type Expected,
  type FlagReader,
  type FlagWording,
  flagWarnings,
} from "./flag-reader.ts";
export { type ParsedFlags, parseFlags } from "./parse-flags.ts";

/** The text of --help, one heading for each section. */
export function helpText(program: {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagTable;
}): string {
  const command = new Command(program.name).description(program.summary).version("", "--version");
  for (const [name, flag] of Object.entries(program.flags)) {
    const option = new Option(`${spelling(name)} ${placeholder(flag)}`, flag.help);
    if (flag.default !== undefined) option.default(flag.default);
    command.addOption(option.helpGroup(`${flag.section}:`));
  }
  return command.helpInformation();
}
