// When the pods of a group were read, and which of them are incomplete in a window.
import type { PodFailure, Round } from "./rounds.ts";

export interface Intervals {
  readonly intervalMs: number;
  /** Without what limits add, which is another time in each round. */
  readonly askedMs: number;
}

export type Reads = ReturnType<typeof createReads>;

interface Read {
  /** The last page. */
  readonly lastMs: number;
  /** The first page since the pod was there, or since pages were missing. */
  readonly sinceMs: number;
  /** Between the last two pages. */
  readonly gapMs: number;
  readonly wasBroken: boolean;
}

/** A page may be late, but where one is missing at the start of a window, its rate is too low. */
const brokenAfterIntervals = 1.6;
/** After this time without a page, a pod that is not ready is ignored: it has no traffic. */
const forgottenAfterMs = 60_000;

export function createReads() {
  const reads = new Map<string, Read>();
  return {
    ended({ found, readAtMs }: Round, { intervalMs, askedMs }: Intervals): void {
      if (!found.ok) return;
      const pods = new Set([...found.targets, ...found.refused].map(({ pod }) => pod));
      for (const pod of reads.keys()) if (!pods.has(pod)) reads.delete(pod);
      for (const [pod, lastMs] of readAtMs) {
        const before = reads.get(pod);
        const gapMs = before === undefined ? intervalMs : lastMs - before.lastMs;
        const isBroken =
          before !== undefined && gapMs > brokenAfterIntervals * Math.max(askedMs, before.gapMs);
        reads.set(
          pod,
          before === undefined || isBroken
            ? { lastMs, sinceMs: lastMs, gapMs, wasBroken: isBroken }
            : { ...before, lastMs, gapMs },
        );
      }
    },
    /** The pods whose window is incomplete, each with the reason. */
    incomplete(
      rangeMs: number,
      { failures, readAtMs, atMs }: Round,
      { intervalMs, askedMs }: Intervals,
    ): ReadonlyMap<string, string> {
      const found = new Map<string, string>();
      for (const [pod, { sinceMs, wasBroken }] of reads)
        if (wasBroken && readAtMs.has(pod) && atMs - sinceMs < rangeMs - askedMs)
          found.set(pod, `the pod ${pod} was not read until ${Math.round((atMs - sinceMs) / 1000)} s ago`);
      for (const failure of failures) {
        const message = lack(failure, reads.get(failure.pod), { rangeMs, atMs, intervalMs });
        if (message !== undefined) found.set(failure.pod, message);
      }
      return found;
    },
  };
}

/** A pod that is starting, and has given no page yet, lacks nothing. */
function lack(
  { pod, reason, isReady }: PodFailure,
  read: Read | undefined,
  { rangeMs, atMs, intervalMs }: Readonly<Record<"rangeMs" | "atMs" | "intervalMs", number>>,
): string | undefined {
  if (read === undefined) return isReady ? `the pod ${pod} has not been read yet: it ${reason}` : undefined;
  const ageMs = atMs - read.lastMs;
  if (!isReady && ageMs > forgottenAfterMs) return undefined;
  const isBridged = rangeMs > 0 && ageMs <= brokenAfterIntervals * intervalMs;
  return isBridged
    ? undefined
    : `the pod ${pod} has not been read for ${Math.round(ageMs / 1000)} s: it ${reason}`;
}

/** Why a round has no values; undefined when some pod gave a page, or there is none. */
export function failureOf({ found, failures }: Round): string | undefined {
  if (!found.ok) return found.message;
  const pods = found.targets.length + found.refused.length;
  const [one] = failures;
  return one === undefined || failures.length < pods
    ? undefined
    : `no pod of ${pods} could be scraped: ${one.pod} ${one.reason}`;
}
