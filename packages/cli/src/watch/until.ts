// What `watch` waits for.
import type { SummaryRow } from "../decisions/source.ts";
import { CliError } from "../seams.ts";

export interface Until {
  readonly text: string;
  readonly isReached: (row: SummaryRow) => boolean;
}

/** @throws CliError */
export function parseUntil(text: string): Until {
  const count = /^desired=(\d{1,9})$/.exec(text)?.[1];
  if (count !== undefined)
    return { text, isReached: ({ desired, action }) => action !== "none" && desired === Number(count) };
  if (text === "stable") return { text, isReached: isStable };
  if (text === "error") return { text, isReached: isError };
  throw new CliError(`--until ${text} is not known: write desired=N, stable or error`);
}

const quiet: ReadonlySet<SummaryRow["heldBy"]> = new Set(["none", "tolerance"]);

/** The replicas are those that the metrics propose, and no window holds others. */
function isStable({ action, heldBy }: SummaryRow): boolean {
  return action === "hold" && quiet.has(heldBy);
}

const failed: ReadonlySet<SummaryRow["heldBy"]> = new Set(["failed", "blocked", "selector"]);

function isError({ heldBy }: SummaryRow): boolean {
  return failed.has(heldBy);
}
