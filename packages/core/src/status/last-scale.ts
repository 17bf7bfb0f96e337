// Sets status.lastScaleTime.
import type { UnknownHistory } from "../spec/decision.ts";
import type { HpaStatus } from "../spec/status.ts";
import { formatInstant, instantMs } from "../time/rfc3339.ts";

/** A status and a write of the same change are not further apart. */
const sameChangeMs = 2000;

/** The stored status has the time of the last scale, also when it was written before that scale. */
export function withLastScale(status: HpaStatus, history: UnknownHistory | undefined): HpaStatus {
  if (history === undefined) return status;
  const announcedMs = instantMs(status.lastScaleTime);
  if (announcedMs !== undefined && history.lastScaleMs - announcedMs <= sameChangeMs) return status;
  return { ...status, lastScaleTime: formatInstant(history.lastScaleMs) };
}
