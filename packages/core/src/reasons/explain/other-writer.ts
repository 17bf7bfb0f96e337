// What people read about another client that writes what the autoscaler manages.
import { instantMs } from "../../values/time/rfc3339.ts";

/** Another client that writes the status or the replicas of an object that the autoscaler manages. */
export interface OtherWriter {
  /** Its field manager, or words for one that the API server did not record. */
  readonly by: string;
  readonly writes: "status" | "replicas";
  readonly count: number;
  /** RFC 3339. */
  readonly since: string;
  /** When it wrote last, as far as the autoscaler saw. RFC 3339. */
  readonly lastAt: string;
  /** When the autoscaler manages the object again, or writes the replicas again, if the other client stops. */
  readonly retryAt: string;
}

/** Whether a person has to look at it: replicas that were set once, as `kubectl scale` does, are corrected once. */
export function isLasting({ writes, count }: OtherWriter): boolean {
  return writes === "status" || count > 1;
}

/** "argocd-controller changed the replicas back 4 times". */
export function otherWriterNote({ by, writes, count }: Pick<OtherWriter, "by" | "writes" | "count">): string {
  return writes === "status" ? `yielded to ${by}` : `${by} changed the replicas back ${timesText(count)}`;
}

/** Who writes what, how often, since when, and when the autoscaler writes again. */
export function otherWriterText(other: OtherWriter, nowMs: number): string {
  const { by, writes, count, since, lastAt, retryAt } = other;
  const isDue = (instantMs(retryAt) ?? nowMs) <= nowMs;
  const next = isDue ? "at its next evaluation" : `at ${seconds(retryAt)}`;
  // An autoscaler of before does not say it.
  const last = count > 1 && instantMs(lastAt) !== undefined ? `, most recently at ${seconds(lastAt)}` : "";
  const times = `${timesText(count)} since ${seconds(since)}${last}`;
  return writes === "status"
    ? `${by} has written the status ${times}. The autoscaler takes over again ${next}, unless ${by} writes again.`
    : `${by} has changed the replicas back ${times}. The autoscaler writes them again ${next}, or at once if they are outside minReplicas and maxReplicas.`;
}

function timesText(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function seconds(at: string): string {
  return at.replace(/\.\d+Z$/, "Z");
}
