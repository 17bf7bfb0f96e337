// Prints the figures of two trees beside each other.
import { rows as table } from "../boundaries/table.ts";
import type { Figures, PackageFigures } from "./figures.ts";
import { ideas } from "./twins.ts";

type Row = readonly [what: string, before: string, now: string];

/** A table in plain text, and one of the packages. */
export function report(before: Figures, now: Figures): string {
  const rows: readonly Row[] = [
    ["", "64f2d29", "now"],
    both("most tangled function (cyclomatic)", ({ tangled }) => tangled),
    both("functions above 15", ({ tangledAboveLimit }) => tangledAboveLimit),
    both("longest function (lines)", ({ long }) => long),
    both("functions above 60 lines (roots: 120)", ({ longAboveLimit }) => longAboveLimit),
    both("circles of files, types included", ({ circles, largestCircle }) =>
      circles === 0 ? 0 : `${circles}, the largest of ${largestCircle}`,
    ),
    both(
      "a spec's way through reconcile",
      ({ way }) => `${way.stops} stops, ${way.files} files, ${way.returns} returns`,
    ),
    both("parameters named o", ({ parametersNamedO }) => parametersNamedO),
    both("exported names without a docstring, public packages", ({ undocumented }) => undocumented),
    both("words of the private language", ({ words }) => words),
    ...ideas.map(({ name }) => both(`written: ${name}`, ({ twins }) => `${twins[name] ?? 0}×`)),
    both("lines of what operators run", (figures) => shippedLines(figures)),
    both("files that open with a sentence", (figures) => percent(figures, opening)),
    both("parameters only passed on", (figures) => percent(figures, passedOn)),
  ];
  return [aligned(rows), "", aligned(packageRows(before, now))].join("\n");

  function both(what: string, value: (figures: Figures) => string | number): Row {
    return [what, String(value(before)), String(value(now))];
  }
}

type Share = readonly [part: number, whole: number];
const opening = ({ files, opening: count }: PackageFigures): Share => [count, files];
const passedOn = ({ parameters }: PackageFigures): Share => [parameters.onlyPassedOn, parameters.used];

function sum({ packages }: Figures, value: (figures: PackageFigures) => number): number {
  return Object.values(packages).reduce((total, figures) => total + value(figures), 0);
}

/** Without sandbox, conformance, and what serves tests and measurements. */
function shippedLines({ packages }: Figures): number {
  const others = new Set([
    "sandbox",
    "conformance",
    ...table.flatMap((row) => (row.isForTests ? [row.name] : [])),
  ]);
  return Object.entries(packages).reduce(
    (total, [name, { lines }]) => total + (others.has(name) ? 0 : lines),
    0,
  );
}

function percent(figures: Figures, share: (figures: PackageFigures) => Share): string {
  return percentOf([sum(figures, (one) => share(one)[0]), sum(figures, (one) => share(one)[1])]);
}

function percentOf([part, whole]: Share): string {
  return whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`;
}

function packageRows(before: Figures, now: Figures): readonly (readonly string[])[] {
  const names = [...new Set([...Object.keys(before.packages), ...Object.keys(now.packages)])].sort();
  return [
    ["package", "entries", "", "lines", "", "opening", "", "passed on", ""],
    ...names.map((name) => [
      name,
      ...both(name, ({ entries }) => String(entries)),
      ...both(name, ({ lines }) => String(lines)),
      ...both(name, (figures) => percentOf(opening(figures))),
      ...both(name, (figures) => percentOf(passedOn(figures))),
    ]),
  ];

  function both(name: string, value: (figures: PackageFigures) => string): readonly string[] {
    return [before, now].map(({ packages }) => (packages[name] === undefined ? "" : value(packages[name])));
  }
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
