// Prints the figures as a table, and names those that are too high.
import type { Figure } from "./figures.ts";

export function report(figures: readonly Figure[]): string {
  const rows = [
    ["", "now", "goal", "at most"],
    ...figures.map(({ what, now, goal, most }) => [what, ...[now, goal, most].map(shown)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([what = "", ...cells]) =>
      [what.padEnd(widths[0] ?? 0), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))]
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function shown(value: number | undefined): string {
  return value?.toLocaleString("en-US") ?? "";
}

/** What is wrong; of a figure with places, all of them. */
export function exceeded(figures: readonly Figure[]): readonly string[] {
  return figures.flatMap(({ what, now, most = Infinity, places = [] }) =>
    now <= most
      ? []
      : [
          ...places.map((place) => `  ${place}`),
          `${what}: ${shown(now)}, at most ${shown(most)} are allowed`,
        ],
  );
}
