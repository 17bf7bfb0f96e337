import type { Freshness } from "@plimsoll/metric-rules";

/** Of a result that is made of several: all of them, and whatever else must be unchanged. */
export function allFresh(parts: readonly Freshness[], isUnchanged: () => boolean): Freshness {
  return {
    isFresh: () => isUnchanged() && parts.every((part) => part.isFresh()),
    reused: () => {
      for (const part of parts) part.reused();
    },
  };
}
