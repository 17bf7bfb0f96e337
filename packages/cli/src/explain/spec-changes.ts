// What of an object's specification changed between two decisions.
import type { DecisionRecord } from "@plimsoll/core";

export interface SpecChange {
  /** Such as "spec.maxReplicas". */
  readonly path: string;
  /** Absent: it was not there. */
  readonly before?: unknown;
  readonly now?: unknown;
}

export function specChanges(before: DecisionRecord, now: DecisionRecord): readonly SpecChange[] {
  return changesOf(before.input.hpa.spec, now.input.hpa.spec, "spec");
}

function changesOf(before: unknown, now: unknown, path: string): readonly SpecChange[] {
  if (Object.is(before, now)) return [];
  if (!isObject(before) || !isObject(now) || Array.isArray(before) !== Array.isArray(now)) {
    return [{ path, ...(before === undefined ? {} : { before }), ...(now === undefined ? {} : { now }) }];
  }
  const isList = Array.isArray(before);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((key) =>
    changesOf(own(before, key), own(now, key), isList ? `${path}[${key}]` : `${path}.${key}`),
  );
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Readonly<Record<string, unknown>>)[key] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
