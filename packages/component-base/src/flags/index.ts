// Flags of a process: one table, from which values, problems, --help and the documentation come.
import { Command, Option } from "commander";
import { type Flag, type FlagTable, placeholder } from "./flag.ts";
import { spelling } from "./parse-flags.ts";

export { type Flag, type FlagKind, type FlagTable, section } from "./flag.ts";
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

/** The flags as Markdown: one table for each section, in the order of --help. Flags without an effect share a row for each reason. */
export function flagDocs(flags: FlagTable): string {
  const entries = Object.entries(flags);
  const hasUpstream = entries.some(([, { alsoOf }]) => alsoOf !== undefined);
  const head = ["Flag", "Default", "Meaning", ...(hasUpstream ? ["Also of"] : [])];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const row = ({ flag, names }: Row): string =>
    line([
      names.length === 1
        ? `\`--${names.join()} ${escaped(placeholder(flag))}\``
        : names.map((name) => `\`--${name}\``).join(", "),
      flag.default === undefined || flag.default === "" ? "" : `\`${flag.default}\``,
      escaped(flag.help),
      ...(hasUpstream ? [flag.alsoOf ?? ""] : []),
    ]);
  return [...new Set(entries.map(([, flag]) => flag.section))]
    .map((section) => {
      const rows = new Map<string, Row>();
      for (const [name, flag] of entries.filter(([, one]) => one.section === section)) {
        const key = flag.effect === undefined ? name : `${flag.alsoOf ?? ""} ${flag.help}`;
        rows.set(key, { flag, names: [...(rows.get(key)?.names ?? []), name] });
      }
      return [
        `### ${section}`,
        "",
        line(head),
        line(head.map(() => "---")),
        ...[...rows.values()].map(row),
        "",
      ].join("\n");
    })
    .join("\n");
}

interface Row {
  readonly flag: Flag;
  readonly names: readonly string[];
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
