// The autoscaler that a recording is of.
import type { Recording } from "@plimsoll/backtest";
import type { ControllerOptions } from "@plimsoll/core";
import { type Autoscaler, readAutoscaler } from "@plimsoll/simulator";
import { withSettings } from "./replay-settings.ts";

/** Under a controller that is configured so; or why it is none. */
export function recordedAutoscaler(
  recording: Recording,
  settings: Partial<ControllerOptions>,
): Autoscaler | string {
  const read = readAutoscaler(recording.autoscaler.object);
  if (!read.ok) return `autoscaler.object ${read.message}`;
  return withSettings(read.autoscaler, settings);
}

/** "namespace/name": the autoscaler's own name; that of its target where the manifest has none. */
export function recordedName({ autoscaler, target }: Recording): string {
  const { metadata } = (autoscaler.object ?? {}) as { readonly metadata?: { readonly name?: unknown } };
  const name = typeof metadata?.name === "string" ? metadata.name : target.name;
  return `${target.namespace}/${name}`;
}
