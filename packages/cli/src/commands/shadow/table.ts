// The table of agreements.
import type { ShadowItem } from "@plimsoll/decisions";
import { ageOf } from "../../output/age.ts";
import type { Style } from "../../output/style.ts";
import { type Cell, type Column, fits, notApplicable, tableLines, withBelow } from "../../output/table.ts";
import { wrap } from "../../output/width.ts";
import { agreementOf, comparedOf, type Shadowed } from "./agreement.ts";

export interface TableOptions {
  readonly style: Style;
  readonly hasHeadings: boolean;
  readonly nowMs: number;
}

/** Those that differed most first, as they came; then all together. */
export function shadowLines({ items, total }: Shadowed, options: TableOptions): readonly string[] {
  const { style, nowMs } = options;
  const table = tableOf(items, options);
  const since = ageOf(total.since, nowMs);
  const compared = comparedOf(total);
  const share = compared === 0 ? "none" : percentText(agreementOf(total));
  const sum = [
    `${total.objects} object${total.objects === 1 ? "" : "s"}: ${share} of ${compared} compared decisions agree`,
    `${total.differed} differ, ${total.unsettled} not comparable, ${total.apart} apart now`,
    ...(since === undefined ? [] : [`for ${since}`]),
  ].join("; ");
  return [...table, ...wrap(style.text(sum), style.columns, "  ")];
}

/** On a terminal that is too narrow both sides of a difference stand below its row. */
function tableOf(
  items: readonly ShadowItem[],
  { style, hasHeadings, nowMs }: TableOptions,
): readonly string[] {
  const options = { style: { ...style, tableColumns: undefined }, hasHeadings };
  const wide = tableLines(items, [...counts, ...sides, lastAt(nowMs)], options);
  if (fits(wide, style)) return wide;
  const narrow = tableLines(items, [...counts, lastAt(nowMs)], { style, hasHeadings });
  return withBelow(narrow, hasHeadings, (index) => {
    const last = items[index]?.lastDifference;
    if (last === undefined) return [];
    return wrap(style.text(`  ours ${last.ours}, theirs ${last.theirs}`), style.tableColumns, "    ");
  });
}

type Difference = NonNullable<ShadowItem["lastDifference"]>;

const last =
  (cell: (difference: Difference) => string) =>
  ({ lastDifference }: ShadowItem): string =>
    lastDifference === undefined ? notApplicable : cell(lastDifference);

const counts: readonly Column<ShadowItem>[] = [
  { heading: "OBJECT", cell: ({ namespace, name }) => `${namespace}/${name}`, shrinksTo: 16 },
  { heading: "AGREEMENT", cell: agreementCell, align: "right" },
  { heading: "COMPARED", cell: (item) => String(comparedOf(item)), align: "right" },
  { heading: "DIFFERENT", cell: ({ differed }) => String(differed), align: "right" },
  { heading: "FIRST STEP", cell: last(({ step }) => step) },
];

const sides: readonly Column<ShadowItem>[] = [
  { heading: "OURS", cell: last(({ ours }) => ours) },
  { heading: "THEIRS", cell: last(({ theirs }) => theirs) },
];

function lastAt(nowMs: number): Column<ShadowItem> {
  return { heading: "AT", cell: last(({ at }) => `${ageOf(at, nowMs) ?? "?"} ago`) };
}

function agreementCell(item: ShadowItem): Cell {
  const percent = agreementOf(item);
  if (percent === undefined) return notApplicable;
  return { text: percentText(percent), tone: item.differed === 0 ? "good" : "warning" };
}

/** Never rounded up to a hundred. */
export function percentText(percent: number | undefined): string {
  return percent === undefined ? notApplicable : `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
}
