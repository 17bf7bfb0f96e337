import { Command, Option } from "commander";
import { type Flag, type FlagTable, placeholder } from "./flag.ts";
import { spelling } from "./parse-flags.ts";

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

/** The flags as Markdown: one table for each section, in the order of --help. */
export function flagDocs(flags: FlagTable): string {
  const entries = Object.entries(flags);
  const hasUpstream = entries.some(([, { alsoOf }]) => alsoOf !== undefined);
  const head = ["Flag", "Default", "Meaning", ...(hasUpstream ? ["Also of"] : [])];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const row = ([name, flag]: readonly [string, Flag]): string =>
    line([
      `\`--${name} ${escaped(placeholder(flag))}\``,
      flag.default === undefined || flag.default === "" ? "" : `\`${flag.default}\``,
      escaped(flag.help),
      ...(hasUpstream ? [flag.alsoOf ?? ""] : []),
    ]);
  return [...new Set(entries.map(([, flag]) => flag.section))]
    .map((section) => {
      const rows = entries.filter(([, flag]) => flag.section === section).map(row);
      return [`### ${section}`, "", line(head), line(head.map(() => "---")), ...rows, ""].join("\n");
    })
    .join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
