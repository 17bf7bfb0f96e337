// How far a recommendation can be believed: the lowest line of a table counts.
import { showPercent } from "@plimsoll/core/internal/values";
import type { Confidence, Interval } from "./report.ts";

/** What confidence depends on. */
export interface Evidence {
  readonly wholeDays: number;
  /** Of the open loop; undefined where it was not measured. */
  readonly skill: number | undefined;
  /** Of the time, in which the load is a lower bound. */
  readonly censoredShare: number;
  /** Saved in training less saved in validation. */
  readonly optimism: number;
  readonly saved: number;
  readonly interval: Interval;
  readonly isMoving: boolean;
  /** What a pod can take was given; else it is the highest of 99.9 % of the time, which says nothing of more. */
  readonly isCapacityKnown: boolean;
}

/** The level, and the reasons of all lines that are at it where it is not high. */
export function confidenceOf(evidence: Evidence): {
  readonly confidence: Confidence;
  readonly reasons: readonly string[];
} {
  const rows = rowsOf(evidence);
  const confidence =
    (["low", "medium"] as const).find((level) => rows.some((row) => row.level === level)) ?? "high";
  const reasons = rows.filter(({ level }) => level !== "high").map(({ reason }) => reason);
  return { confidence, reasons };
}

function rowsOf(evidence: Evidence): readonly { readonly level: Confidence; readonly reason: string }[] {
  const { wholeDays, skill, censoredShare, optimism, saved, interval, isMoving, isCapacityKnown } = evidence;
  const width = saved > 0 ? (interval.high - interval.low) / saved : Infinity;
  return [
    { level: level(wholeDays >= 21, wholeDays >= 14), reason: `${wholeDays} whole days` },
    {
      level: skill === undefined ? "medium" : level(skill >= 0.5, skill >= 0.3),
      reason:
        skill === undefined
          ? "the agreement with the recorded decisions is unknown"
          : `the open loop has a skill of ${skill.toFixed(2)}`,
    },
    {
      level: level(censoredShare <= 0.01, censoredShare <= 0.05),
      reason: `the load is a lower bound in ${showPercent(censoredShare)} of the time`,
    },
    {
      level: level(optimism <= 0.03, optimism <= 0.06),
      reason: `it saved ${showPercent(optimism)} less of today's pod-hours in validation than in training`,
    },
    {
      level: level(width <= 0.5, width <= 1),
      reason: `the interval is ${showPercent(interval.low)} to ${showPercent(interval.high)}`,
    },
    {
      level: isCapacityKnown ? "high" : "low",
      reason: "a pod's capacity is unknown: set an objective",
    },
    { level: isMoving ? "low" : "high", reason: "the load of the second half differs by more than 30 %" },
  ];
}

function level(isHigh: boolean, isMedium: boolean): Confidence {
  if (isHigh) return "high";
  return isMedium ? "medium" : "low";
}
