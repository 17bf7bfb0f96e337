// The plan as text: all but the commands is a comment.
import type { Style } from "../output/style.ts";
import { type Column, tableLines } from "../output/table.ts";
import { commentOf, stepLines } from "../release/text.ts";
import type { FederationPlanDocument, PlannedBackend } from "./document.ts";

const columns: readonly Column<PlannedBackend>[] = [
  { heading: "BACKEND", cell: ({ name }) => name },
  { heading: "SERVICE", cell: ({ service }) => service },
  { heading: "APISERVICES", cell: ({ apiServices }) => apiServices.join(",") },
  { heading: "FOUND BY", cell: ({ foundBy }) => foundBy },
];

/** For a shell. */
export function planText(
  { backends, notes, steps }: FederationPlanDocument,
  { style, hasHeadings }: { readonly style: Style; readonly hasHeadings: boolean },
): string {
  const comment = commentOf(style);
  return [
    ...tableLines(backends, columns, { style, hasHeadings, indent: "# " }),
    ...(notes.length === 0 ? [] : ["", ...notes.flatMap((note) => comment(`Note: ${note}`))]),
    ...steps.flatMap((step, index) => ["", ...stepLines(step, index + 1, style)]),
    "",
  ].join("\n");
}
