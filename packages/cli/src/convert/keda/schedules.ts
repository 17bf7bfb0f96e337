// Schedules out of cron triggers.
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Findings } from "../findings.ts";
import { type KedaBounds, rests } from "./bounds.ts";
import { takesTurns } from "./cron-alternation.ts";
import { type CronTrigger, triggerPath } from "./trigger.ts";

export interface ScheduleContext {
  readonly bounds: KedaBounds;
  /** While the one cron trigger is not active, the target rests, whatever its other metrics say. */
  readonly restsOutside: boolean;
}

/** A cron trigger is one more proposal of the HPA: a floor, up to the maximum. */
export function schedulesOf(
  triggers: readonly CronTrigger[],
  { bounds, restsOutside }: ScheduleContext,
  findings: Findings,
): readonly ScheduleSpec[] {
  const names = uniqueNames(triggers);
  return triggers.flatMap((trigger, position) => {
    noteTurns(trigger, findings);
    noteCap(trigger, bounds, findings);
    const { timeZone, start, end, replicas } = trigger;
    const name = names[position] ?? "cron";
    const floor = Math.min(Math.max(replicas, bounds.active), bounds.max);
    const entry = { name, timeZone, start, end, minReplicas: floor };
    if (!restsOutside || !rests(bounds)) return [entry];
    const rest = { name: `${name.slice(0, 58)}-off`, timeZone, start: end, end: start };
    return [entry, { ...rest, replicas: bounds.inactive }];
  });
}

/** At most 63 characters, with room for a number and for "-off". */
function uniqueNames(triggers: readonly CronTrigger[]): readonly string[] {
  const taken = new Set<string>();
  return triggers.map(({ name, index }) => {
    const stem = (name.trim() === "" ? `cron-${index}` : name.trim()).slice(0, 50);
    let found = stem;
    for (let next = 2; taken.has(found) || taken.has(`${found}-off`); next++) found = `${stem}-${next}`;
    taken.add(found);
    taken.add(`${found}-off`);
    return found;
  });
}

function noteTurns({ index, start, end }: CronTrigger, findings: Findings): void {
  const turns = takesTurns(start, end);
  if (turns === true) return;
  const path = `${triggerPath(index)}.metadata.start`;
  if (turns === undefined) {
    const message = "is due too often for it to be known whether KEDA is active at the times of the schedule";
    findings.note({
      path,
      value: start,
      message,
      remedy: "compare the times with plimsoll schedule preview",
    });
    return;
  }
  findings.note({
    path,
    value: start,
    message: `and the end ${JSON.stringify(end)} do not take turns: KEDA is active whenever an end comes before the next start, the schedule from each start to the next end`,
    remedy: "look at the schedule with plimsoll schedule preview, and correct its times",
  });
}

function noteCap({ index, replicas }: CronTrigger, { max }: KedaBounds, findings: Findings): void {
  if (replicas <= max) return;
  findings.note({
    path: `${triggerPath(index)}.metadata.desiredReplicas`,
    value: replicas,
    message: `is above maxReplicaCount, and is written as ${max}, which KEDA does not pass either`,
    remedy: "nothing is to be done",
  });
}
