// What people read about another client that writes what we manage.
import { type Decision, formatInstant, otherWriterNote } from "@plimsoll/core";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { Contest, Yielded } from "./conflict.ts";
import { takeOverMs } from "./foreign-writer.ts";

/** The same text until the other client writes again, or the metrics call for more than it ever undid. */
export function contestText(contest: Contest, atMs: number): string {
  return `${undoneText(contest)}; next attempt at ${formatInstant(atMs)}. Remove spec.replicas from the manifest that ${contest.by} applies`;
}

function undoneText({ by, count, sinceMs }: Contest): string {
  return `${otherWriterNote({ by, count, writes: "replicas" })} since ${formatInstant(sinceMs)}`;
}

export function yieldedText(yielded: Yielded): string {
  const { by, sinceMs, count } = yielded;
  const times = count === 1 ? "once" : `${count} times`;
  return `${by} has written the status ${times} since ${formatInstant(sinceMs)}; this controller only watches until ${formatInstant(takeOverMs(yielded))}, or longer if ${by} writes again`;
}

type Status = ScalingObject["status"];

const ableToScale = "AbleToScale";
/** No message of AbleToScale has it otherwise. */
const addition = ". Another client: ";

/**
 * AbleToScale with the client that undoes our writes, beside its own text: replicas outside of the bounds are written at once,
 * and then it is true.
 */
export function withContest(decision: Decision, contest: Contest | undefined, stored: Status): Decision {
  const known = stored?.conditions?.find(({ type }) => type === ableToScale)?.message;
  const isLasting = contest !== undefined && contest.count > 1;
  if (!isLasting && known?.includes(addition) !== true) return decision;
  const conditions = decision.status.conditions.map((condition) =>
    isLasting && condition.type === ableToScale && condition.status === "True"
      ? { ...condition, message: `${condition.message}${addition}${undoneText(contest)}` }
      : condition,
  );
  const message = conditions.find(({ type }) => type === ableToScale)?.message;
  return {
    ...decision,
    status: { ...decision.status, conditions },
    statusChanged: decision.statusChanged || message !== known,
  };
}

/** The status as the math knows it: AbleToScale without the other client. */
export function withoutContest(status: Status): Status {
  const conditions = status?.conditions;
  if (!conditions?.some(isTelling)) return status;
  return {
    ...status,
    conditions: conditions.map((condition) =>
      isTelling(condition)
        ? { ...condition, message: condition.message.slice(0, condition.message.indexOf(addition)) }
        : condition,
    ),
  };
}

type Condition = NonNullable<NonNullable<NonNullable<Status>["conditions"]>[number]>;

function isTelling(condition: Condition): condition is Condition & { readonly message: string } {
  return condition.type === ableToScale && condition.message?.includes(addition) === true;
}
