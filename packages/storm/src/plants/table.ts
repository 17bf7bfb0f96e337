// The results of a campaign as a table.
import type { Search } from "./campaign.ts";

const heading = ["planted fault", "found", "invariant", "seed", "seconds", "hours", "events"];

/** One line of one search. */
export function rowOf({ plant, report }: Search): readonly string[] {
  const { found, seconds, hours } = report;
  const spent = [seconds.toFixed(0), hours.toFixed(1)];
  if (found === undefined) return [plant.name, "no", "", "", ...spent, ""];
  return [plant.name, "yes", found.invariant, String(found.seed), ...spent, String(found.events)];
}

/** A table in Markdown. */
export function tableOf(searches: readonly Search[]): string {
  const rows = [heading, heading.map(() => "---"), ...searches.map(rowOf)];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
