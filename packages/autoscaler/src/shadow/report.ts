// The shadow report as text.
import type { ShadowSummary } from "@plimsoll/decisions";

const maxRows = 50;

/** The comparison as a person reads it; those that differ first. */
export function shadowReport({ total, items }: ShadowSummary): string {
  if (total.objects === 0) return "No HorizontalPodAutoscaler has been compared yet.\n";
  const lines = [
    `Shadow since ${total.since}: ${percent(total.agreement)} of ${total.agreed + total.differed} compared decisions agree (${total.differed} differ, ${total.unsettled} not comparable) over ${total.objects} objects, ${total.apart} apart now.`,
  ];
  const differing = items.filter(({ differed, isApart }) => differed > 0 || isApart);
  if (differing.length === 0) lines.push("No differences.");
  for (const item of differing.slice(0, maxRows)) {
    const { lastDifference: last } = item;
    const first =
      last === undefined
        ? "apart for less than two periods"
        : `${last.step}: ours ${last.ours}, theirs ${last.theirs} (${last.at})`;
    lines.push(
      `  ${item.namespace}/${item.name}  ${percent(item.agreement)} of ${item.agreed + item.differed}  ${first}`,
    );
  }
  if (differing.length > maxRows) lines.push(`  … and ${differing.length - maxRows} more`);
  return `${lines.join("\n")}\n`;
}

/** Never rounded up to a hundred. */
function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}
