// The plan as text: what is said is a comment, so that the whole can be read, copied, and given to a shell.
import { printable } from "@plimsoll/component-base/text";
import type { ReleasedObject, ReleaseStep } from "@plimsoll/migration/release";
import type { Style } from "../../output/style.ts";
import { type Column, notKnown, tableLines } from "../../output/table.ts";
import { wrap } from "../../output/width.ts";
import type { ReleasePlanDocument } from "./document.ts";

const columns: readonly Column<ReleasedObject>[] = [
  { heading: "OBJECT", cell: ({ namespace, object }) => `${namespace}/${object}` },
  { heading: "TARGET", cell: ({ target }) => target },
  {
    heading: "REPLICAS",
    cell: ({ replicas }) => (replicas === null ? notKnown : String(replicas)),
    align: "right",
  },
  { heading: "BECOMES", cell: ({ becomes }) => becomes },
];

export function planText(
  { objects, differences, steps, notes }: ReleasePlanDocument,
  { style, hasHeadings }: { readonly style: Style; readonly hasHeadings: boolean },
): string {
  const comment = commentOf(style);
  const table = tableLines(objects, columns, { style, hasHeadings, indent: "# " });
  const lost = differences.flatMap(({ namespace, object, path, instead }) =>
    comment(`${namespace}/${object} ${path}: ${instead}`, "  "),
  );
  return [
    ...(objects.length === 0 ? ["# No object."] : table),
    ...(lost.length === 0 ? [] : ["", "# Not converted, and what happens instead:", ...lost]),
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => comment(`Note: ${note}`))]),
    ...steps.flatMap((step, index) => ["", ...stepLines(step, index + 1, style)]),
    "",
  ].join("\n");
}

/** One step: its commands, and as comments why, and how it is taken back. */
export function stepLines(
  { title, reason, commands, undo }: ReleaseStep,
  number: number,
  style: Style,
): readonly string[] {
  const comment = commentOf(style);
  return [
    style.paint("strong", `# ${number}. ${style.text(title)}`),
    ...comment(reason),
    // In the characters that they have: one that looks alike in ASCII may be a quote.
    ...commands.flatMap((command) => command.split("\n").map(printable)),
    ...comment(`To undo: ${undo.note}`),
    ...undo.commands.map((command) => `#   ${printable(command)}`),
  ];
}

/** Comments for a shell, as wide as the terminal. */
export function commentOf(style: Style): (text: string, indent?: string) => readonly string[] {
  return (text, indent = "") =>
    wrap(style.text(text), style.columns === undefined ? undefined : style.columns - 4, "  ").map(
      (line) => `# ${indent}${line}`,
    );
}
