// Reads what a file expects of its columns.
import type { Column, Expectation } from "./scenario-file.ts";
import { type Section, scalarText, sectionOf } from "./section.ts";

/** What may be bounded: amounts of a run. */
export const scoreNames = [
  "offered",
  "served",
  "lost",
  "backlog",
  "backlogMax",
  "podHours",
  "readyPodHours",
  "idealPodHours",
  "shortPodSeconds",
  "hotSeconds",
  "atMaxSeconds",
  "pendingPodSeconds",
  "transientSeconds",
  "events",
  "reversals",
  "podsStarted",
  "crashes",
  "replicasMax",
  "latencyMs",
] as const;

/** Name of an amount of a run. */
export type ScoreName = (typeof scoreNames)[number];

const bound = /^(<=|>=|<|>|=)\s*(\d+(?:\.\d+)?)$/;

/** `{ autoscaler: NAME, hotSeconds: "<= 60" }`; without a name it is expected of all. */
export function readExpectations(
  section: Section,
  columns: readonly Column[],
  workloads: readonly string[],
): readonly Expectation[] {
  return section.list("expect").flatMap((entry, index) => {
    const of = sectionOf(entry, `expect[${index}]`, section.findings);
    const column = of.has("autoscaler") ? of.text("autoscaler") : undefined;
    const workload = of.has("workload") ? of.text("workload") : undefined;
    const named = columns.filter(({ name }) => column === undefined || name === column);
    if (named.length === 0)
      of.problem(
        "autoscaler",
        "is no autoscaler of this file",
        `use one of ${columns.map(({ name }) => name).join(", ")}`,
      );
    if (workload !== undefined && !workloads.includes(workload))
      of.problem("workload", "is no workload of this file", `use one of ${workloads.join(", ")}`);
    const bounds = scoreNames.flatMap((score) => {
      if (!of.has(score)) return [];
      const [, compare, value] = bound.exec(scalarText(of.raw(score))) ?? [];
      if (compare === undefined) of.problem(score, "is no bound", 'write such as "<= 60"');
      return [
        { workload, score, compare: (compare ?? "<=") as Expectation["compare"], bound: Number(value ?? 0) },
      ];
    });
    if (bounds.length === 0) {
      const remedy = `write such as hotSeconds: "<= 60"`;
      of.findings.problems.push({ path: of.path, message: "has no bound", remedy });
    }
    of.close();
    return named.flatMap(({ name }) => bounds.map((one) => ({ column: name, ...one })));
  });
}
