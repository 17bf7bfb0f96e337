// Which rows are shown, and in which order.
import { type SummaryState, summaryState, summaryStates } from "@plimsoll/core";
import { isProblem, keyOf, ratioOf, type SummaryRow, severity } from "@plimsoll/decisions";

export const sorts = ["name", "now", "want", "ratio", "held", "since"] as const;
export type Sort = (typeof sorts)[number];

/** A selection of rows, as the address has it. */
export interface Selection {
  readonly filter: string;
  readonly isProblem: boolean;
  /** Undefined: all. */
  readonly state: SummaryState | undefined;
  readonly sort: Sort;
  readonly isDescending: boolean;
}

/** Values that are looked at first when they are high have the highest first. */
const startsDescending: ReadonlySet<Sort> = new Set<Sort>(["now", "want", "ratio"]);

export function selectionOf(params: Readonly<Record<string, string>>): Selection {
  const sort = sorts.find((one) => one === params["sort"]) ?? "name";
  const isReversed = params["order"] === "reverse";
  return {
    filter: params["q"] ?? "",
    isProblem: params["problems"] === "1",
    state: summaryStates.find((state) => state === params["state"]),
    sort,
    isDescending: startsDescending.has(sort) !== isReversed,
  };
}

/** The parameters that a click on a heading sets. */
export function nextSort(selection: Selection, sort: Sort): Readonly<Record<string, string>> {
  const isSame = selection.sort === sort;
  const isReversed = isSame && selection.isDescending === startsDescending.has(sort);
  return { sort: sort === "name" ? "" : sort, order: isReversed ? "reverse" : "" };
}

/** What a letter of the filter looks at: rows in their order, with their texts. */
export interface OrderedRows {
  readonly rows: readonly SummaryRow[];
  /** By position in `rows`. */
  readonly texts: readonly string[];
}

/** All rows in the order of a selection. What a filter needs of them is made here, so that a letter only compares. */
export function order(rows: Iterable<SummaryRow>, sort: Sort, isDescending: boolean): OrderedRows {
  const inOrder = sorted([...rows], sort, isDescending);
  return { rows: inOrder, texts: inOrder.map(keptText) };
}

/** Each word has to be somewhere in namespace, name, target, metrics or what holds the replicas. */
export function filter({ rows, texts }: OrderedRows, selection: Selection): readonly SummaryRow[] {
  const { state, isProblem: onlyProblems } = selection;
  const words = selection.filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0 && state === undefined && !onlyProblems) return rows;
  return rows.filter((row, index) => {
    const text = texts[index] ?? "";
    for (const word of words) if (!text.includes(word)) return false;
    return (!onlyProblems || isProblem(row)) && (state === undefined || summaryState(row) === state);
  });
}

/** A row is a new object when it changed: of 10,000 rows few texts are made in a second. */
const kept = new WeakMap<SummaryRow, string>();

function keptText(row: SummaryRow): string {
  const known = kept.get(row);
  if (known !== undefined) return known;
  const text = textOf(row);
  kept.set(row, text);
  return text;
}

function textOf({ namespace, name, target, metrics, heldBy, mode, note = "" }: SummaryRow): string {
  const names = metrics.map((metric) => metric.name).join(" ");
  return `${namespace}/${name} ${target.kind}/${target.name} ${names} ${heldBy} ${mode} ${note}`.toLowerCase();
}

function sorted(rows: readonly SummaryRow[], sort: Sort, isDescending: boolean): readonly SummaryRow[] {
  const keyed = rows.map((row) => ({ row, value: valueOf(row, sort), key: keyOf(row) }));
  const sign = isDescending ? -1 : 1;
  keyed.sort((one, other) => {
    // What is unknown comes last in either order.
    if (Number.isNaN(one.value) || Number.isNaN(other.value))
      return Number(Number.isNaN(one.value)) - Number(Number.isNaN(other.value)) || byKey(one.key, other.key);
    return sign * (one.value - other.value) || (sort === "name" ? sign : 1) * byKey(one.key, other.key);
  });
  return keyed.map(({ row }) => row);
}

function byKey(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function valueOf(row: SummaryRow, sort: Sort): number {
  switch (sort) {
    case "name":
      return 0;
    case "now":
      return row.current;
    case "want":
      return row.proposed ?? Number.NaN;
    case "ratio":
      return ratioOf(row);
    case "held":
      return severity[summaryState(row)];
    case "since":
      return row.since === null ? Number.NaN : -Date.parse(row.since);
  }
}
