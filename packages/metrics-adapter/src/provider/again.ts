/** How to know that an answer is still the answer, without putting it together anew. */
export interface Again {
  /** Whether the same question has the same answer now, by data within its age bound. Never true by mistake. */
  holds(): boolean;
  /** Notes that the answer was given again, as it would have been noted otherwise. */
  given(): void;
}

/** Of an answer that rests on several: all of them, and whatever else must be as it was. */
export function allAgain(parts: readonly Again[], isUnchanged: () => boolean): Again {
  return {
    holds: () => isUnchanged() && parts.every((part) => part.holds()),
    given: () => {
      for (const part of parts) part.given();
    },
  };
}
