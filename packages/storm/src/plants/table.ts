// The results of a campaign as a table.
import type { Search } from "./campaign.ts";

const heading = [
  "planted fault",
  "found by",
  "seconds",
  "simulated hours",
  "seed",
  "events",
  "after shrinking",
];

/** The cells of one search. */
export function rowOf({ plant, report: { found, seconds, hours } }: Search): readonly string[] {
  const spent = [seconds.toFixed(0), hours.toFixed(1)];
  if (found === undefined) return [plant.name, "not found", ...spent, "", "", ""];
  const { invariant, seed, eventsBefore, scenario } = found;
  return [
    plant.name,
    invariant,
    ...spent,
    String(seed),
    String(eventsBefore),
    String(scenario.events.length),
  ];
}

/** A table in Markdown. */
export function tableOf(searches: readonly Search[]): string {
  const rows = [heading, heading.map(() => "---"), ...searches.map(rowOf)];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
