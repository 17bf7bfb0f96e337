import { humanDuration } from "@plimsoll/core/internal/values";

/** How long ago an RFC 3339 instant was; `<unknown>` without one. */
export function ageSince(instant: string | undefined, nowMs: number): string {
  const atMs = instant === undefined ? Number.NaN : Date.parse(instant);
  return Number.isNaN(atMs) ? "<unknown>" : humanDuration(nowMs - atMs);
}
