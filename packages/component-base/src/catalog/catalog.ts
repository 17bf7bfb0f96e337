// How a message gets its code.
import { autoscalerCodes, conditionCodes, metricsAdapterCodes, sharedCodes, startupCodes } from "./codes.ts";

const codesOfLogs: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...autoscalerCodes, ...metricsAdapterCodes, ...sharedCodes }),
);
const codesOfReasons: ReadonlyMap<string, string> = new Map(Object.entries(conditionCodes));
const codesOfStartup = Object.entries(startupCodes);

/** For every line that no other message begins. */
const invalidSettings = "PLM4001";

/** The code of a logged message; undefined when it has none, as most messages at level info. */
export function codeOfLog(message: string): string | undefined {
  return codesOfLogs.get(message);
}

/** A line that says why a process does not start, with its code. */
export function withStartupCode(problem: string): string {
  const [, code = invalidSettings] = codesOfStartup.find(([message]) => problem.startsWith(message)) ?? [];
  return `${problem} (${code})`;
}

/** The message of a condition of our own kinds, with the code of its reason where that has one. */
export function withConditionCode(reason: string, message: string): string {
  const code = codesOfReasons.get(reason);
  return code === undefined ? message : `${message} (${code})`;
}
