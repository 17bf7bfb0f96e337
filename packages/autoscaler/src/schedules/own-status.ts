import { type ActiveSchedule, type DecisionEvent, formatInstant } from "@plimsoll/core";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Scheduled } from "./book.ts";

/** status.schedules: what holds now, the bounds that count with it, and when that changes. */
export interface SchedulesStatus {
  readonly active: readonly {
    readonly name: string;
    /** Absent: no beginning, or no end, is in sight. */
    readonly since?: string;
    readonly until?: string;
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
  }[];
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly nextTransition?: string;
}

export interface ScheduleClaim {
  readonly type: "ScheduleActive" | "SchedulesValid";
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

export function schedulesStatus({ state, effective }: Scheduled): SchedulesStatus {
  const { active, nextMs } = state;
  return {
    active: active.map(({ name, sinceMs, untilMs, floor, ceiling }) => ({
      name,
      ...(sinceMs === undefined ? {} : { since: formatInstant(sinceMs) }),
      ...(untilMs === undefined ? {} : { until: formatInstant(untilMs) }),
      ...(floor === undefined ? {} : { minReplicas: floor }),
      ...(ceiling === undefined ? {} : { maxReplicas: ceiling }),
    })),
    ...effective,
    ...(nextMs === undefined ? {} : { nextTransition: formatInstant(nextMs) }),
  };
}

export function scheduleClaims(scheduled: Scheduled): readonly ScheduleClaim[] {
  const { state, problems } = scheduled;
  const next = state.nextMs === undefined ? "" : `; the next change is at ${formatInstant(state.nextMs)}`;
  const isActive = state.active.length > 0;
  return [
    {
      type: "ScheduleActive",
      isTrue: isActive,
      reason: isActive ? "ScheduleActive" : "NoScheduleActive",
      message: isActive
        ? `${state.active.map(entryText).join("; ")}; ${boundsText(scheduled)}`
        : `no schedule holds now${next}`,
    },
    problems.length === 0
      ? { type: "SchedulesValid", isTrue: true, reason: "Valid", message: "all schedules can be used" }
      : {
          type: "SchedulesValid",
          isTrue: false,
          reason: "InvalidSchedule",
          message: problemsText(scheduled),
        },
  ];
}

/** What began and ended since the stored status, and what is wrong with entries when that is news. */
export function scheduleEvents(hpa: NativeHpa, scheduled: Scheduled): readonly DecisionEvent[] {
  const { schedules, conditions } = (hpa.status ?? {}) as NonNullable<NativeHpa["status"]> & {
    readonly schedules?: SchedulesStatus;
  };
  const before = new Set(schedules?.active.map(({ name }) => name));
  const now = new Set(scheduled.state.active.map(({ name }) => name));
  const told = conditions?.find(({ type }) => type === "SchedulesValid")?.message;
  const problems = problemsText(scheduled);
  return [
    ...[...before]
      .filter((name) => !now.has(name))
      .map((name) => ({
        type: "Normal" as const,
        reason: "ScheduleEnded",
        message: `${name}; ${boundsText(scheduled)}`,
      })),
    ...scheduled.state.active
      .filter(({ name }) => !before.has(name))
      .map((entry) => ({
        type: "Normal" as const,
        reason: "ScheduleStarted",
        message: `${entryText(entry)}; ${boundsText(scheduled)}`,
      })),
    ...(problems === "" || problems === told
      ? []
      : [{ type: "Warning" as const, reason: "InvalidSchedule", message: problems }]),
  ];
}

function entryText({ name, floor, ceiling, untilMs }: ActiveSchedule): string {
  const parts =
    floor !== undefined && floor === ceiling
      ? [`exactly ${floor}`]
      : [
          ...(floor === undefined ? [] : [`at least ${floor}`]),
          ...(ceiling === undefined ? [] : [`at most ${ceiling}`]),
        ];
  const end = untilMs === undefined ? "" : ` until ${formatInstant(untilMs)}`;
  return `${name}: ${parts.join(" and ")}${end}`;
}

function boundsText({ own, effective }: Scheduled): string {
  const now = `[${effective.minReplicas}, ${effective.maxReplicas}]`;
  const isSame = own.minReplicas === effective.minReplicas && own.maxReplicas === effective.maxReplicas;
  return isSame
    ? `the limits are ${now}`
    : `the limits [${own.minReplicas}, ${own.maxReplicas}] become ${now}`;
}

const longestValue = 100;

function problemsText({ problems }: Scheduled): string {
  return problems
    .map(({ name, path, value, message, remedy }) => {
      const shown = value === undefined ? "" : ` ${JSON.stringify(value).slice(0, longestValue)}`;
      const entry = name === "" ? "" : `${name}: `;
      return `${entry}spec.schedules${path}${shown} ${message}: ${remedy}`;
    })
    .join("; ");
}
