// Limits warnings that callers can cause: one per subject and interval.
import type { Clock } from "../clock/clock.ts";

/** Whether to log now. True counts as logged. */
type LogLimiter = (subject: string) => boolean;

/** Callers may choose the subjects, so their number is bounded. */
const maxSubjects = 1_000;

/** For each subject once per `pauseMs`. */
export function createLogLimiter(clock: Clock, pauseMs: number): LogLimiter {
  const loggedAtMs = new Map<string, number>();
  return (subject) => {
    const nowMs = clock.nowMs();
    if (Math.abs(nowMs - (loggedAtMs.get(subject) ?? Number.NEGATIVE_INFINITY)) < pauseMs) return false;
    loggedAtMs.delete(subject);
    for (const oldest of loggedAtMs.keys()) {
      if (loggedAtMs.size < maxSubjects) break;
      loggedAtMs.delete(oldest);
    }
    loggedAtMs.set(subject, nowMs);
    return true;
  };
}
