// The catalog of codes: a person can search for each code, docs/errors.md is generated from it.
import { autoscalerEntries } from "./autoscaler.ts";
import { conditionEntries } from "./conditions.ts";
import type { CatalogEntry } from "./entry.ts";
import { metricsAdapterEntries } from "./metrics-adapter.ts";
import { sharedEntries } from "./shared.ts";
import { invalidSettings, startupEntries } from "./startup.ts";

interface CatalogSection {
  readonly title: string;
  /** First and last number of the section's codes. */
  readonly range: readonly [number, number];
  readonly entries: readonly CatalogEntry[];
}

/** PLM6000 to PLM6999 are kept free for findings about clusters. */
export const catalog: readonly CatalogSection[] = [
  { title: "Log lines of the autoscaler", range: [1000, 1999], entries: autoscalerEntries },
  { title: "Log lines of the metrics adapter", range: [2000, 2999], entries: metricsAdapterEntries },
  { title: "Log lines of both", range: [3000, 3999], entries: sharedEntries },
  { title: "A process does not start", range: [4000, 4999], entries: startupEntries },
  { title: "Reasons of conditions", range: [5000, 5999], entries: conditionEntries },
];

/** Codes of messages that no longer exist. */
export const retiredCodes: readonly string[] = [];

const codesOfLogs: ReadonlyMap<string, string> = codesByMessage([
  ...autoscalerEntries,
  ...metricsAdapterEntries,
  ...sharedEntries,
]);
const codesOfReasons = codesByMessage(conditionEntries);

function codesByMessage(entries: readonly CatalogEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ message, code }) => [message, code]));
}

/** The code of a logged message; undefined when it has none, as most messages at level info. */
export function codeOfLog(message: string): string | undefined {
  return codesOfLogs.get(message);
}

/** A line that says why a process does not start, with its code. */
export function withStartupCode(problem: string): string {
  const entry = startupEntries.find(({ message }) => problem.startsWith(message)) ?? invalidSettings;
  return `${problem} (${entry.code})`;
}

/** The message of a condition of our own kinds, with the code of its reason where that has one. */
export function withConditionCode(reason: string, message: string): string {
  const code = codesOfReasons.get(reason);
  return code === undefined ? message : `${message} (${code})`;
}
