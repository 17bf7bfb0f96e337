// Status, conditions and events of schedules.
import { maxListed, shortened } from "../../objects/api/validate/problem-text.ts";
import type { DecisionEvent, ScheduledBounds } from "../../objects/decision.ts";
import type { ActiveSchedule } from "../../objects/schedules/state.ts";
import type { SchedulesStatus } from "../../objects/schedules-status.ts";
import type { StoredHpaStatus } from "../../objects/status.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import type { ConditionChange } from "../combine/conditions.ts";

/** `status.schedules` of an object: what is active now, the bounds that count with it, and when that changes. */
export function schedulesStatus({ state, effective }: ScheduledBounds): SchedulesStatus {
  const { active, nextMs, isSearchEnd } = state;
  return {
    active: active.map(({ name, sinceMs, untilMs, floor, ceiling }) => ({
      name,
      ...(sinceMs === undefined ? {} : { since: formatInstant(sinceMs) }),
      ...(untilMs === undefined ? {} : { until: formatInstant(untilMs) }),
      ...(floor === undefined ? {} : { minReplicas: floor }),
      ...(ceiling === undefined ? {} : { maxReplicas: ceiling }),
    })),
    ...effective,
    ...(nextMs === undefined || isSearchEnd === true ? {} : { nextTransition: formatInstant(nextMs) }),
  };
}

/** The conditions that schedules add to a status. */
export function scheduleConditions(bounds: ScheduledBounds): readonly ConditionChange[] {
  const { state, problems = [] } = bounds;
  const isKnown = state.nextMs !== undefined && state.isSearchEnd !== true;
  const next = isKnown ? `; next change at ${formatInstant(state.nextMs)}` : "";
  return [
    state.active.length > 0
      ? {
          type: "ScheduleActive",
          status: "True",
          reason: "ScheduleActive",
          message: `${state.active.map(entryText).join("; ")}; ${boundsText(bounds)}`,
        }
      : {
          type: "ScheduleActive",
          status: "False",
          reason: "NoScheduleActive",
          message: `no schedule active${next}`,
        },
    problems.length === 0
      ? { type: "SchedulesValid", status: "True", reason: "Valid", message: "all schedules are valid" }
      : {
          type: "SchedulesValid",
          status: "False",
          reason: "InvalidSchedule",
          message: problemsText(problems),
        },
  ];
}

/** What began and ended since the stored status, and what is wrong with entries when the status does not say it yet. */
export function scheduleEvents(
  bounds: ScheduledBounds,
  stored: Pick<StoredHpaStatus, "schedules" | "conditions"> | undefined,
): readonly DecisionEvent[] {
  const { active } = bounds.state;
  const before = new Set(stored?.schedules?.active?.map(({ name }) => name));
  const now = new Set(active.map(({ name }) => name));
  const known = stored?.conditions?.find(({ type }) => type === "SchedulesValid")?.message;
  const problems = problemsText(bounds.problems ?? []);
  const limits = boundsText(bounds);
  const event = (reason: string, message: string) => ({ type: "Normal", reason, message }) as const;
  return [
    ...[...before]
      .filter((name) => !now.has(name))
      .map((name) => event("ScheduleEnded", `${name} ended; ${limits}`)),
    ...active
      .filter(({ name }) => !before.has(name))
      .map((entry) => event("ScheduleStarted", `${entryText(entry)}; ${limits}`)),
    ...(problems === "" || problems === known
      ? []
      : [{ type: "Warning", reason: "InvalidSchedule", message: problems } as const]),
  ];
}

function entryText(entry: ActiveSchedule): string {
  const end = entry.untilMs === undefined ? "" : ` until ${formatInstant(entry.untilMs)}`;
  return `${entry.name}: ${imposedText(entry)}${end}`;
}

/** What an entry imposes. */
export function imposedText({ floor, ceiling }: ActiveSchedule): string {
  if (floor !== undefined && floor === ceiling) return `exactly ${floor}`;
  const parts = [
    ...(floor === undefined ? [] : [`at least ${floor}`]),
    ...(ceiling === undefined ? [] : [`at most ${ceiling}`]),
  ];
  return parts.join(" and ");
}

function boundsText({ own, effective }: ScheduledBounds): string {
  const now = `[${effective.minReplicas}, ${effective.maxReplicas}]`;
  const isSame = own.minReplicas === effective.minReplicas && own.maxReplicas === effective.maxReplicas;
  return isSame
    ? `limits are now ${now}`
    : `limits change from [${own.minReplicas}, ${own.maxReplicas}] to ${now}`;
}

const maxValueLength = 100;

function problemsText(problems: NonNullable<ScheduledBounds["problems"]>): string {
  return shortened(
    problems.slice(0, maxListed).map(({ name, path, value, message, remedy }) => {
      const shown = value === undefined ? "" : ` ${JSON.stringify(value).slice(0, maxValueLength)}`;
      const entry = name === "" ? "" : `${name}: `;
      return `${entry}spec.schedules${path}${shown} ${message}: ${remedy}`;
    }),
    problems.length,
  );
}
