// What a run of the storm found, as `--report FILE` writes it.

export interface RunReport {
  /** Of real time, until the violation or the end; without shrinking. */
  readonly seconds: number;
  /** Of simulated time. */
  readonly hours: number;
  /** Undefined when no invariant was violated. */
  readonly found?: {
    readonly invariant: string;
    readonly message: string;
    readonly seed: number;
    /** After shrinking. */
    readonly events: number;
    readonly eventsBefore: number;
  };
}
