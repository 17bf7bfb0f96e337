// Every number that a rule compares with.
import { dayMs, hourMs, minuteMs } from "@plimsoll/core/internal/values";

export const thresholds = {
  /** An object whose rollout began within this time gets findings of one severity less. */
  rolloutStartMs: 2 * minuteMs,
  /** PL-007: resets of spec.replicas within the window. */
  resets: 2,
  resetWindowMs: 30 * minuteMs,
  /** PL-016: share of the requests that one container has, and the share of them that it uses. */
  idleContainerRequests: 0.5,
  idleContainerUsage: 0.2,
  /** PL-017: without a scale for so long. */
  cannotFallMs: hourMs,
  /** The period of kube-controller-manager. */
  syncPeriodMs: 15_000,
  /** PL-024: share of the running pods without a sample, and for how many periods they have been ready. */
  missingSamples: 0.2,
  missingPeriods: 3,
  /** PL-022, PL-024: a metrics server needs so long for the first sample of a pod. */
  firstSampleMs: 2 * minuteMs,
  /** PL-025: two periods of a slow metrics server; a longer window of the sample counts instead. */
  metricPeriodMs: minuteMs,
  stalePeriods: 2,
  unchangedMs: 10 * minuteMs,
  /** PL-026: a rate needs so many scrapes, and a longer range reacts late. */
  rateIntervals: 2,
  goodRateIntervals: 4,
  longRateRangeMs: 10 * minuteMs,
  /** PL-029: points, their spread in replicas, and the slope of the value over the replicas, both as logarithms. */
  slopePoints: 5,
  slopeSpread: 1.5,
  flatSlope: -0.25,
  averageSlope: -0.75,
  /** PL-030 */
  atMaxMs: 15 * minuteMs,
  /** PL-033 */
  pendingMs: 2 * minuteMs,
  /** PL-037 */
  directionChanges: 4,
  directionWindowMs: 30 * minuteMs,
  /** PL-038 */
  disabledMs: 7 * dayMs,
  /** PL-039 */
  toleranceMs: hourMs,
  toleranceDeviation: 0.05,
  /** PL-041: unready and surge pods, as a share of the replicas. */
  rolloutPods: 0.25,
  /** PL-042: how far ahead schedules are compared. */
  scheduleAheadMs: 8 * dayMs,
  scheduleTransitions: 200,
  /** PL-043: a window that holds replicas for so long after a schedule is worth a word. */
  scheduleHoldMs: 10 * minuteMs,
  /** PL-044 */
  pausedMs: dayMs,
  /** PL-045 */
  withoutMetricsMs: 10 * minuteMs,
  /** PL-046 */
  decisionPeriods: 3,
  /** PL-047: the adapter writes a status within seconds. */
  unreadMetricRuleMs: 5 * minuteMs,
} as const;
