// When the pods of a group were read, and which of them are incomplete in a window.
import type { PodFailure, Round } from "./rounds.ts";

export interface Reads {
  ended(round: Round, intervalMs: number): void;
  /** The pods whose window is incomplete, each with the reason. */
  incomplete(rangeMs: number, round: Round, intervalMs: number): ReadonlyMap<string, string>;
}

interface Read {
  /** The last page. */
  readonly lastMs: number;
  /** The first page since the pod was there, or since pages were missing. */
  readonly sinceMs: number;
  readonly wasBroken: boolean;
}

/** One page that is missing within a window changes nothing in its rate; two do. */
const brokenAfterIntervals = 1.6;
/** After this time without a page, a pod that is not ready is ignored: it has no traffic. */
const forgottenAfterMs = 60_000;

export function createReads(): Reads {
  const reads = new Map<string, Read>();
  return {
    ended({ found, failures, atMs }, intervalMs) {
      if (!found.ok) return;
      const failed = new Set(failures.map(({ pod }) => pod));
      const pods = new Set([...found.targets, ...found.refused].map(({ pod }) => pod));
      for (const pod of reads.keys()) if (!pods.has(pod)) reads.delete(pod);
      for (const { pod } of found.targets) {
        if (failed.has(pod)) continue;
        const before = reads.get(pod);
        const isBroken = before !== undefined && atMs - before.lastMs > brokenAfterIntervals * intervalMs;
        reads.set(
          pod,
          before === undefined || isBroken
            ? { lastMs: atMs, sinceMs: atMs, wasBroken: isBroken }
            : { ...before, lastMs: atMs },
        );
      }
    },
    incomplete(rangeMs, { failures, atMs }, intervalMs) {
      const found = new Map<string, string>();
      for (const [pod, { lastMs, sinceMs, wasBroken }] of reads)
        if (wasBroken && lastMs === atMs && atMs - sinceMs < rangeMs - intervalMs)
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
  {
    rangeMs,
    atMs,
    intervalMs,
  }: { readonly rangeMs: number; readonly atMs: number; readonly intervalMs: number },
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
