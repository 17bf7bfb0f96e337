// Scrapes: at which instants targets are read, and what they showed.
import type { Flow } from "../plant/flow.ts";
import { randomStream } from "../random/stream.ts";

/** Targets that share an instant: pods are spread over so many. */
const maxGroups = 5;

/** What was read at the last instants, as a ring of columns: one group of targets. */
export interface ScrapeGroup {
  readonly atMs: Float64Array;
  /** Served requests per serving pod since the start: counters of pods are differences of it. */
  readonly perPod: Float64Array;
  readonly offered: Float64Array;
  readonly served: Float64Array;
  readonly backlog: Float64Array;
  readonly inFlight: Float64Array;
  readonly serving: Float64Array;
  /** Scrapes until now; the last one has this number less one. */
  scrapes: number;
}

/** The scrapes of one workload at one interval. */
export interface Scrapes {
  readonly groups: readonly ScrapeGroup[];
  readonly size: number;
  readonly nextMs: number;
  /** Reads the group that is due. */
  step(flow: Flow): void;
  /** The position of a pod's group. Neighbors are far apart, as their phases are in Prometheus. */
  groupOf(ordinal: number): number;
}

/** Scrapes from an instant on, which can be looked at for a time. */
export function createScrapes(options: {
  readonly fromMs: number;
  readonly intervalMs: number;
  readonly keptMs: number;
  readonly seed: number;
  readonly purpose: string;
}): Scrapes {
  const { fromMs, intervalMs, keptMs, seed, purpose } = options;
  const size = Math.ceil(keptMs / intervalMs) + 3;
  const count = Math.max(1, Math.min(maxGroups, Math.floor(intervalMs / 1000)));
  const groups = Array.from({ length: count }, () => newGroup(size));
  // Prometheus has whole milliseconds.
  const phaseMs = Math.floor((randomStream(seed, `${purpose}/phase`).uniform() * intervalMs) / count);
  const instantOf = (scrape: number) =>
    fromMs +
    phaseMs +
    Math.floor(scrape / count) * intervalMs +
    Math.floor(((scrape % count) * intervalMs) / count);
  let scrape = 0;
  let nextMs = instantOf(0);
  return {
    groups,
    size,
    get nextMs() {
      return nextMs;
    },
    step(flow) {
      const group = groups[scrape % count];
      if (group !== undefined) read(group, flow, { atMs: nextMs, size });
      nextMs = instantOf(++scrape);
    },
    groupOf: (ordinal) => (ordinal * 7) % count,
  };
}

function newGroup(size: number): ScrapeGroup {
  return {
    atMs: new Float64Array(size),
    perPod: new Float64Array(size),
    offered: new Float64Array(size),
    served: new Float64Array(size),
    backlog: new Float64Array(size),
    inFlight: new Float64Array(size),
    serving: new Float64Array(size),
    scrapes: 0,
  };
}

function read(
  group: ScrapeGroup,
  flow: Flow,
  { atMs, size }: { readonly atMs: number; readonly size: number },
): void {
  const slot = group.scrapes++ % size;
  group.atMs[slot] = atMs;
  group.perPod[slot] = flow.servedPerPod;
  group.offered[slot] = flow.offered;
  group.served[slot] = flow.served;
  group.backlog[slot] = flow.queue.backlog;
  group.inFlight[slot] = flow.inFlight;
  group.serving[slot] = flow.serving;
}
