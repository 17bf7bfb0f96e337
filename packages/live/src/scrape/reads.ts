// When the pods of a group were last read, and what that says of a result.
import type { Plan } from "../evaluate/plan.ts";
import type { Round } from "./rounds.ts";

export interface Reads {
  ended(round: Round): void;
  /** A pod of which the window of a query has nothing left, and that gave pages before: a sum would be too small. */
  missing(plan: Plan, round: Round): string | undefined;
}

export function createReads(): Reads {
  /** By pod: the time of its last page. */
  const readAtMs = new Map<string, number>();
  return {
    ended({ found, failures, atMs }) {
      if (!found.ok) return;
      const failed = new Set(failures.map(({ pod }) => pod));
      const pods = new Set(found.targets.map(({ pod }) => pod));
      for (const pod of readAtMs.keys()) if (!pods.has(pod)) readAtMs.delete(pod);
      for (const pod of pods) if (!failed.has(pod)) readAtMs.set(pod, atMs);
    },
    missing({ longestRangeMs }, { failures, atMs }) {
      const gone = failures.find(({ pod }) => (readAtMs.get(pod) ?? Infinity) < atMs - longestRangeMs);
      if (gone === undefined) return undefined;
      const seconds = Math.round((atMs - (readAtMs.get(gone.pod) ?? atMs)) / 1000);
      return `the pod ${gone.pod} has not been read for ${seconds} s: it ${gone.reason}`;
    },
  };
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
