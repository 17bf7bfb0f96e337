import { type Flag, placeholder } from "./flag.ts";

/** The flag reference as Markdown: one table a section, in the order of --help. */
export function flagDocs(flags: readonly Flag[]): string {
  const sections = [...new Set(flags.map((flag) => flag.section))];
  return sections
    .map((section) => {
      const rows = flags.filter((flag) => flag.section === section).map(row);
      return [`### ${section}`, "", "| Flag | Default | |", "|---|---|---|", ...rows, ""].join("\n");
    })
    .join("\n");
}

function row(flag: Flag): string {
  const fallback = flag.fallback === "" ? "" : `\`${flag.fallback}\``;
  return `| \`--${flag.name} ${placeholder(flag.kind)}\` | ${fallback} | ${flag.help.replaceAll("|", "\\|")} |`;
}
