// Limits of a CronHorizontalPodAutoscaler's fields.

/**
 * What a CronHorizontalPodAutoscaler may carry at most. The installed definition may be that of
 * kubernetes-cronhpa-controller, which has no limits, so they hold here as well.
 */
export const cronHpaLimits = {
  jobs: 100,
  excludeDates: 100,
  /** Characters of any text. */
  text: 256,
} as const;

const shownCharacters = 64;

/** A text as it may stand in a message. */
export function shownText(text: string): string {
  return JSON.stringify(text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text);
}

/** Why a text is refused unread. */
export function lengthProblem(field: string, text: string): string | undefined {
  if (text.length <= cronHpaLimits.text) return undefined;
  return `${field} ${shownText(text)} is longer than ${cronHpaLimits.text} characters; use a shorter one`;
}

/** Why a list is refused. */
export function countProblem(field: "jobs" | "excludeDates", list: readonly unknown[]): string | undefined {
  const most = cronHpaLimits[field];
  if (list.length <= most) return undefined;
  return `spec.${field} has more than ${most} entries; split them into several objects`;
}
