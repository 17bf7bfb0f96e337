// Measures the tree: the figures of the house, each with its goal and what it may not exceed.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Row, rows as table } from "../boundaries/table.ts";
import { readEntries } from "../source/entries.ts";
import { isProduct, isTesting, packageOf, readPackages } from "../source/files.ts";
import { namesOf } from "../source/names.ts";
import type { SourceFile } from "../source/parse.ts";
import { bags, declaredIn, identical, typesWith } from "./declarations.ts";
import { upwardImports } from "./rooms.ts";
import { tinyFiles } from "./tiny-files.ts";

export interface Figure {
  readonly what: string;
  readonly goal?: number;
  readonly now: number;
  /** What `npm run verify` refuses to exceed. Lower it when `now` is lower. */
  readonly most?: number;
  /** One line for each thing that is counted. */
  readonly places?: readonly string[];
}

/** Packages that operators do not run. */
const notRun: ReadonlySet<string> = new Set(["conformance"]);

/** Packages whose rooms have an order. */
const inOrder = ["core", "cli", "autoscaler", "simulator", "backtest", "console", "sandbox"];

/** Packages that a decision passes from the evaluation to the page. */
const deciding: ReadonlySet<string> = new Set([
  "core",
  "observe",
  "autoscaler",
  "decisions",
  "cli",
  "console",
]);
const decision = "(?:Decision(?:Summary|Record)?|(?:Logged|Stored)Decision|SummaryRow)\\b";
const decisionTypes = new RegExp(
  `^(?:interface|type) ${decision}|(?:extends |\\w: |[&|] |Omit<)${decision}(?!\\[)`,
);
const rowTypes = /^interface \w*Row\b[^{]*\b(?:DecisionSummary|SummaryRow)\b/;

/** The figures of a checkout. */
export function figuresOf(root: string): readonly Figure[] {
  const files = readPackages(root).filter(({ path }) => isProduct(path));
  const entries = readEntries(root);
  const names = namesOf(files, (entry) => entries.find(({ name }) => name === entry)?.path);
  const declared = files.flatMap(declaredIn);
  const passing = declared.filter(({ path }) => deciding.has(packageOf(path)));
  const [bag] = bags(declared, names);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  return [
    { what: "lines that operators run", goal: 118_000, now: linesOf(files.filter(isRun)), most: 140_000 },
    { what: "packages that ship", goal: 19, now: table.filter(isShipped).length },
    { what: "npm scripts", goal: 16, now: Object.keys(scripts).length },
    { what: "test configs in the root", goal: 1, now: globSync("vitest*.config.*", { cwd: root }).length },
    { what: "entries on one level: cli", goal: 20, now: entriesOf("cli"), most: 20 },
    { what: "entries on one level: core", goal: 7, now: entriesOf("core"), most: 7 },
    listed("types that carry one decision to the page", 10, typesWith(passing, decisionTypes), 10),
    listed('definitions of "is this a problem?"', 1, namedProblem(), 1),
    listed("definitions of a row of the decision summary", 1, typesWith(passing, rowTypes), 1),
    listed("identical declarations in two packages", 5, identical(declared), 3),
    listed(
      "files of at most 30 lines with one importer",
      30,
      tinyFiles(files, new Set(entries.map(({ path }) => path))),
      28,
    ),
    ...inOrder.map((name) =>
      listed(`imports that run upward: ${name}`, 0, upwardImports(files.filter(isOf(name))), 0),
    ),
    {
      what: "members of the largest bag of dependencies",
      goal: 16,
      now: bag?.members ?? 0,
      most: 16,
      places: [bag?.place ?? ""],
    },
    { what: "words of documentation for users", goal: 45_000, now: words(root, "docs/*.md"), most: 45_500 },
    { what: "words of documentation for developers", now: words(root, "docs/developers/**/*.md") },
  ];

  function entriesOf(name: string): number {
    return globSync(`packages/${name}/src/*`, { cwd: root }).length;
  }

  function namedProblem(): readonly string[] {
    return passing.filter(({ name }) => name === "isProblem").map(({ path }) => path);
  }
}

function listed(what: string, goal: number, places: readonly string[], most?: number): Figure {
  return { what, goal, now: places.length, places, ...(most === undefined ? {} : { most }) };
}

function isShipped({ folder }: Row): boolean {
  return folder === undefined;
}

export function isRun({ path }: Pick<SourceFile, "path">): boolean {
  return path.startsWith("packages/") && isProduct(path) && !isTesting(path) && !notRun.has(packageOf(path));
}

function isOf(name: string): (file: SourceFile) => boolean {
  return ({ path }) => packageOf(path) === name;
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + text.trimEnd().split("\n").length, 0);
}

/** Pages about the making of Plimsoll are in docs/developers; the others are for its users. */
function words(root: string, pages: string): number {
  return globSync(pages, { cwd: root }).reduce(
    (sum, path) => sum + readFileSync(join(root, path), "utf8").trim().split(/\s+/).length,
    0,
  );
}
