// Reads the details of an event, which are plain JSON.
import type { PlannedEvent, Setup, SetupObject } from "../scenario/scenario.ts";

/** The text of a detail. Throws Error when the scenario has none. */
export function textOf({ kind, details }: PlannedEvent, name: string): string {
  const value = details[name];
  if (typeof value !== "string") throw new Error(`${kind}: the detail "${name}" is not a string`);
  return value;
}

/** The number of a detail. Throws Error when the scenario has none. */
export function numberOf({ kind, details }: PlannedEvent, name: string): number {
  const value = details[name];
  if (typeof value !== "number") throw new Error(`${kind}: the detail "${name}" is not a number`);
  return value;
}

/** What a user once applied for the object of an event, whose kind is in this detail; undefined when the setup has lost it. */
export function manifestOf(
  event: PlannedEvent,
  kindDetail: "object" | "workload",
  { objects }: Setup,
): SetupObject | undefined {
  return objects.find(
    ({ kind, metadata }) =>
      kind === textOf(event, kindDetail) &&
      metadata.name === textOf(event, "name") &&
      (metadata.namespace ?? "default") === textOf(event, "namespace"),
  );
}

/** Of what takes from moments to minutes, short times are as likely as long ones. */
export function spreadDuration(unit: number, minMs: number, maxMs: number): number {
  return Math.round(minMs * (maxMs / minMs) ** unit);
}
