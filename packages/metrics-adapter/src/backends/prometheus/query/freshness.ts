/** Whether a result is still current, without computing it once more. */
export interface Freshness {
  /** Whether the same query has the same result now, by data within its age bound. Never true by mistake. */
  isFresh(): boolean;
  /** Records that the result was reused, as its computation would have been recorded. */
  reused(): void;
}

/** Of a result that is made of several: all of them, and whatever else must be unchanged. */
export function allFresh(parts: readonly Freshness[], isUnchanged: () => boolean): Freshness {
  return {
    isFresh: () => isUnchanged() && parts.every((part) => part.isFresh()),
    reused: () => {
      for (const part of parts) part.reused();
    },
  };
}
