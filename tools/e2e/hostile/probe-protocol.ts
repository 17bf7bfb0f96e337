export interface ProbeTargets {
  readonly adapterPort: number;
  readonly autoscalerPorts: readonly number[];
  /** The real one, past all faults. */
  readonly prometheusUrl: string;
  readonly token: string;
}

export interface ProbeQuestion {
  /** From now on. */
  readonly targets?: ProbeTargets;
  /** Times between evaluations count from now on. */
  readonly forget?: true;
}

/** What was seen since the last question. */
export interface ProbeAnswer {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of queries that an administrator sends to Prometheus itself. */
  readonly queries: number;
  readonly queriesP99Ms: number;
  /** The oldest that a live value was when it came. */
  readonly liveAgeMs: number;
  /** The slowest answer of each process. */
  readonly livezMs: Readonly<Record<string, number>>;
  /** The longest time between two evaluations of each object, up to now. */
  readonly gapsMs: Readonly<Record<string, number>>;
  /** When each object was evaluated last, as its record says; absent: never. */
  readonly lastAtMs: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  /** The longest time for which the probe itself was blocked. */
  readonly stallMs: number;
}
