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
export function rowOf({ plant, found, shrunk, seconds, hours }: Search): readonly string[] {
  const spent = [seconds.toFixed(0), hours.toFixed(1)];
  if (found === undefined) return [plant.name, "not found", ...spent, "", "", ""];
  const { violation, scenario } = found;
  const after = (shrunk ?? found).scenario.events.length;
  return [
    plant.name,
    violation.invariant,
    ...spent,
    String(scenario.seed),
    String(scenario.events.length),
    String(after),
  ];
}

/** A table in Markdown. */
export function tableOf(searches: readonly Search[]): string {
  const rows = [heading, heading.map(() => "---"), ...searches.map(rowOf)];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
