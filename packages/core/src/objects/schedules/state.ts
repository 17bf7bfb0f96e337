// The state of schedules at an instant.

/** What the schedules impose at an instant, whatever happened before. */
export interface ScheduleState {
  readonly atMs: number;
  /** The fewest replicas; undefined: no floor. */
  readonly floor: number | undefined;
  /** The most replicas; undefined: no ceiling. Never below the floor. */
  readonly ceiling: number | undefined;
  /** Present where a floor and a ceiling contradict each other: which of them gave way, and from where. */
  readonly conflict?: ScheduleConflict;
  /** In the order of the list. */
  readonly active: readonly ActiveSchedule[];
  /** Nothing in this changes before; undefined: it never changes. */
  readonly nextMs: number | undefined;
  /**
   * Absent where something changes at `nextMs`. Present where the search for a change ended there: the state is to be
   * computed again then. Searches are bounded, since an entry may be written that imposes nothing for centuries.
   */
  readonly isSearchEnd?: true;
}

/** A floor above a ceiling, and which of them counts. */
export interface ScheduleConflict {
  readonly winner: "floor" | "ceiling";
  /** Highest floor and lowest ceiling as the entries set them. */
  readonly floor: number;
  readonly ceiling: number;
}

/** A schedule that is active at the instant of the state. */
export interface ActiveSchedule {
  readonly name: string;
  /** Since when it holds without a break; absent: no beginning was found. */
  readonly sinceMs?: number;
  /** Absent: no end was found. */
  readonly untilMs?: number;
  readonly floor?: number;
  readonly ceiling?: number;
  /** While the floor is still on its way: where to, and by when. */
  readonly ramp?: { readonly floor: number; readonly doneMs: number };
}
