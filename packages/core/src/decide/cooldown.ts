import { instantMs } from "../values/time/rfc3339.ts";
import { type Draft, setFalse } from "./draft.ts";

/**
 * The forbidden windows that controllers up to 1.11 had: no scale-up, or none down, for so long after the last
 * scale. Off while both are zero. Returns the replicas to continue with.
 */
export function heldByCooldown(draft: Draft, current: number, desired: number): number {
  const { options, stored, nowMs } = draft.subject;
  const lastMs = instantMs(stored.lastScaleTime);
  if (lastMs === undefined || desired === current) return desired;
  const isDownForbidden = isForbidden(lastMs, options.downscaleForbiddenWindowMs, nowMs);
  const isUpForbidden = isForbidden(lastMs, options.upscaleForbiddenWindowMs, nowMs);
  const isHeld = desired > current ? isUpForbidden : isDownForbidden;
  if (!isHeld) return desired;
  const one = isUpForbidden ? "BackoffUpscale" : "BackoffDownscale";
  const reason = isUpForbidden && isDownForbidden ? "BackoffBoth" : one;
  const message = `the time since the previous scale is still within ${forbidden[reason]}`;
  setFalse(draft, "AbleToScale", reason, message);
  const windowMs = desired > current ? options.upscaleForbiddenWindowMs : options.downscaleForbiddenWindowMs;
  draft.trace.push({ kind: "cooldown", reason, lastScaleAtMs: lastMs, windowMs });
  return current;
}

/** Whether the window after the last scale is not over. */
export function isForbidden(lastScaleMs: number, windowMs: number, nowMs: number): boolean {
  return windowMs > 0 && !(lastScaleMs + windowMs < nowMs);
}

const forbidden = {
  BackoffBoth: "both the downscale and upscale forbidden windows",
  BackoffUpscale: "the upscale forbidden window",
  BackoffDownscale: "the downscale forbidden window",
} as const;
