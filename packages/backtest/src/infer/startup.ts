// How long the pods of a recording took from their creation until they were Ready.
import type { Delay } from "@plimsoll/simulator";
import type { RecordedPod, RecordedSpan } from "../replay/recording.ts";

/** Where a recording has no pod that started in it. */
const usualMs = 15_000;

/** Each pod that was created in the span; a delay of whole seconds is in the middle of what it may have been. */
export function startUpsOf(pods: readonly RecordedPod[], { fromMs }: RecordedSpan): readonly number[] {
  return pods.flatMap(({ createdMs, ready }) => {
    const [first] = ready;
    if (first === undefined || createdMs < fromMs) return [];
    return [Math.max(0, first.fromMs - createdMs)];
  });
}

/** What was measured, as a delay of a simulated pod. */
export function startUpDelay(measured: readonly number[]): Delay {
  return measured.length === 0 ? { kind: "fixed", ms: usualMs } : { kind: "list", ms: measured };
}
