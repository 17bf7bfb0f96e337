// Rules about schedules: of WorkloadAutoscalers, and cron triggers of KEDA.
import { ageText, type Fields, fieldsOf, textOf } from "@plimsoll/core/internal/values";
import {
  readSchedules,
  type Schedule,
  type ScheduleSpec,
  transitionsWithin,
  zoneOffset,
} from "@plimsoll/core/schedules";
import { type Autoscaler, keyOf } from "../evidence/autoscaler.ts";
import { at, listOf, numberOf } from "../evidence/fields.ts";
import { nameOf } from "../evidence/meta.ts";
import {
  checkPart,
  type Found,
  item,
  type ObjectContext,
  type Outcome,
  objectRule,
  type Rule,
} from "../rule.ts";
import { thresholds } from "../thresholds.ts";
import { isHpaOf } from "./conflicts.ts";

function entriesOf({ raw }: Autoscaler): readonly Fields[] {
  return listOf(at(raw, "spec", "schedules"));
}

function scheduleField(object: Autoscaler, path: string): string {
  return `${object.kind} ${keyOf(object)} .spec.schedules${path}`;
}

function wrongSchedules({ object, nowMs, readings }: ObjectContext): readonly Outcome[] {
  if (object.kind === "HorizontalPodAutoscaler") {
    return checkPart(readings.scaledObjects, (found) =>
      found.filter((one) => isHpaOf(object, one)).flatMap((one) => cronTriggerProblems(object, one)),
    );
  }
  const { schedules, problems } = readSchedules(entriesOf(object) as object[] as ScheduleSpec[], {
    zone: zoneOffset,
    bounds: { minReplicas: object.minReplicas, maxReplicas: object.maxReplicas },
    calendar: () => ({ days: [], spans: [] }),
  });
  const named = problems.map(({ path, message, remedy, name }) => ({
    title: `the schedule ${name || path} ${message}`,
    evidence: [item(`schedules${path}`, message, scheduleField(object, path))],
    fix: remedy,
  }));
  const unknown = new Set(
    entriesOf(object)
      .filter(hasCalendar)
      .map(({ name }) => textOf(name)),
  );
  const certain = schedules.filter(({ name }) => !unknown.has(name));
  const isPartial = schedules.length > 1 && certain.length < schedules.length;
  return [
    ...named,
    ...contradictions(object, certain, nowMs),
    ...(isPartial ? [{ skipped: "days excluded by a calendar are not checked" }] : []),
  ];
}

function hasCalendar(entry: Fields): boolean {
  return listOf(entry["exclusions"]).some(
    ({ calendar, calendarName }) => calendar !== undefined || calendarName !== undefined,
  );
}

/** Two entries that are active together and want different things; one finding for each pair. */
function contradictions(object: Autoscaler, schedules: readonly Schedule[], nowMs: number): readonly Found[] {
  const range = {
    fromMs: nowMs,
    toMs: nowMs + thresholds.scheduleAheadMs,
    count: thresholds.scheduleTransitions,
  };
  const found = new Map<string, Found>();
  for (const { atMs, state } of transitionsWithin(schedules, range).transitions) {
    const fixed = state.active.filter(({ floor, ceiling }) => floor !== undefined && floor === ceiling);
    const values = new Set(fixed.map(({ floor }) => floor));
    const names = (values.size > 1 ? fixed : state.active).map(({ name }) => name);
    if (values.size < 2 && state.conflict === undefined) continue;
    const what = values.size > 1 ? "overlap with different replicas" : conflictText(state.conflict);
    const key = names.join();
    if (found.has(key)) continue;
    found.set(key, {
      title: `the schedules ${names.join(" and ")} contradict each other`,
      evidence: [
        item(
          names.join(" and "),
          `${what} at ${new Date(atMs).toISOString().slice(0, 16)}Z`,
          scheduleField(object, ""),
        ),
      ],
    });
  }
  return [...found.values()];
}

function conflictText(conflict: { readonly floor: number; readonly ceiling: number } | undefined): string {
  return conflict === undefined
    ? ""
    : `have a floor of ${conflict.floor} above a ceiling of ${conflict.ceiling}`;
}

function cronTriggers(scaledObject: Fields): readonly Fields[] {
  return listOf(at(scaledObject, "spec", "triggers"))
    .filter(({ type }) => type === "cron")
    .map((trigger) => fieldsOf(trigger["metadata"]));
}

function cronTriggerProblems({ namespace }: Autoscaler, scaledObject: Fields): readonly Found[] {
  const where = `ScaledObject ${namespace}/${nameOf(scaledObject)} .spec.triggers`;
  return cronTriggers(scaledObject).flatMap((trigger): readonly Found[] => {
    const [start, end] = [textOf(trigger["start"]).trim(), textOf(trigger["end"]).trim()];
    if (start !== "" && end !== "" && start !== end) return [];
    const what = start === end && start !== "" ? `start and end are both ${start}` : "start or end is empty";
    return [{ title: "a cron trigger has no usable span", evidence: [item("cron", what, where)] }];
  });
}

function heldAfterSchedule({ object, readings }: ObjectContext): readonly Outcome[] {
  const holdMs = windowMs(object);
  if (object.kind === "WorkloadAutoscaler") {
    const delayMs = Math.max(holdMs, tuningMs(object, "downscaleDelaySeconds"));
    return entriesOf(object).length === 0 || delayMs < thresholds.scheduleHoldMs
      ? []
      : [held(delayMs, scheduleField(object, ""))];
  }
  return checkPart(readings.scaledObjects, (found) =>
    found
      .filter((one) => isHpaOf(object, one) && cronTriggers(one).length > 0)
      .flatMap((one): readonly Found[] => {
        const toZero = numberOf(at(one, "spec", "minReplicaCount")) ?? 0;
        const cooldownMs = (numberOf(at(one, "spec", "cooldownPeriod")) ?? 300) * 1000;
        const delayMs = toZero === 0 ? Math.max(cooldownMs, holdMs) : holdMs;
        if (delayMs < thresholds.scheduleHoldMs) return [];
        return [held(delayMs, `ScaledObject ${object.namespace}/${nameOf(one)} .spec.cooldownPeriod`)];
      }),
  );
}

function held(ms: number, where: string): Found {
  return {
    title: `after a schedule ends, its replicas stay for ${ageText(ms)}`,
    evidence: [item("stabilization or cooldown", `lasts ${ageText(ms)}`, where)],
  };
}

function windowMs(object: Autoscaler): number {
  const own = numberOf(at(object.raw, "spec", "behavior", "scaleDown", "stabilizationWindowSeconds"));
  return own === undefined ? tuningMs(object, "downscaleStabilizationSeconds") : own * 1000;
}

function tuningMs({ raw }: Autoscaler, field: string): number {
  return (numberOf(at(raw, "spec", "tuning", field)) ?? 0) * 1000;
}

function maySchedule(object: Autoscaler): boolean {
  return object.kind === "HorizontalPodAutoscaler" || entriesOf(object).length > 0;
}

export const scheduleRules: readonly Rule[] = [
  objectRule({
    id: "PL-042",
    severity: "error",
    title: "a schedule is wrong, or contradicts another",
    condition:
      "An entry is invalid, has no duration, or sets a floor above another's ceiling. Or two entries fix different replicas at the same time.",
    fix: "correct the entry; plimsoll schedule preview shows the result",
    isForManifests: true,
    needs: [],
    uses: ["scaledObjects"],
    applies: maySchedule,
    check: wrongSchedules,
  }),
  objectRule({
    id: "PL-043",
    severity: "warn",
    title: "a long window follows the end of a schedule",
    condition:
      "The stabilization window or the cooldown keeps the replicas of a schedule for 10 minutes or longer after its end.",
    fix: "expect it, or shorten behavior.scaleDown.stabilizationWindowSeconds or the cooldown",
    isForManifests: true,
    needs: [],
    uses: ["scaledObjects"],
    applies: maySchedule,
    check: heldAfterSchedule,
  }),
];
