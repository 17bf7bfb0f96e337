/** `status.schedules` of a WorkloadAutoscaler: instants as RFC 3339 text. */
export interface SchedulesStatus {
  readonly active: readonly {
    readonly name: string;
    /** Absent: the search found no beginning, or no end. */
    readonly since?: string;
    readonly until?: string;
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
  }[];
  /** The bounds that count now. */
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Absent: no change is known. */
  readonly nextTransition?: string;
}
