// The span of a history, as --since and --until say it.
import { instantMs } from "@plimsoll/core";
import { DurationError, parsePrometheusDuration } from "@plimsoll/prometheus";
import type { RecordedSpan } from "@plimsoll/simulator";
import { CliError } from "../seams.ts";

const maxSpanMs = 2 * 365 * 86_400_000;

/** @throws CliError */
export function spanOf(
  { since, until }: { readonly since: string; readonly until?: string },
  nowMs: number,
): RecordedSpan {
  const toMs = until === undefined ? nowMs : instantOf("--until", until, nowMs);
  const fromMs = instantOf("--since", since, toMs);
  if (toMs > nowMs) throw new CliError(`--until ${until} is in the future: leave it away to read until now`);
  if (fromMs >= toMs)
    throw new CliError(
      `--since ${since} is not before the end of the history: write such as 7d, or an earlier instant`,
    );
  if (toMs - fromMs > maxSpanMs)
    throw new CliError(`--since ${since} is more than two years: write such as 28d`);
  return { fromMs, toMs };
}

function instantOf(flag: string, text: string, endMs: number): number {
  const atMs = instantMs(text);
  if (atMs !== undefined) return atMs;
  try {
    return endMs - parsePrometheusDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CliError(
      `${flag} ${text} is no duration and no instant: write such as 7d, or 2026-11-15T00:00:00Z`,
    );
  }
}
