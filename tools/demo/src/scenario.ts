// The load curves of the demo.
import type { WorkloadLoad } from "@plimsoll/sandbox";

/** One stream of load on one workload, and what the formula makes of it. */
export interface Stream {
  readonly workload: string;
  /** The metric as its autoscaler knows it. */
  readonly metric: string;
  /** The load that one replica is meant to carry, in the unit of the stream. */
  readonly perReplica: number;
  readonly unit: string;
  readonly peak: number;
  /** When the load steps up at once; absent: it rises slowly, and how soon it is followed is not measured. */
  readonly stepAtMs?: number;
  /** From quiet to the peak, where it stays. */
  readonly load: WorkloadLoad;
}

/** What the demo's load does over time: up, a spike that stands until the workloads have settled, and down. */
export interface Scenario {
  readonly streams: readonly Stream[];
  /** Of the workloads that are no row of the table: one with a schedule, one in shadow. */
  readonly others: readonly WorkloadLoad[];
  /** The spike stands at least until then, and falls at the latest `timeoutMs` later. */
  readonly fallAtMs: number;
  readonly timeoutMs: number;
  /** How long the quiet end is watched. */
  readonly quietMs: number;
}

export const MAX_REPLICAS = 10;

/** Seconds of the plot: the ramp starts, the spike stands, the cpu takes over, the load may fall; then how long it is quiet. */
interface Beats {
  readonly ramp: number;
  readonly spike: number;
  readonly turn: number;
  readonly fall: number;
  readonly quiet: number;
}

const full: Beats = { ramp: 10, spike: 28, turn: 55, fall: 82, quiet: 36 };
const fast: Beats = { ramp: 0, spike: 1, turn: 3, fall: 10, quiet: 7 };

type Shape = readonly (readonly [atSeconds: number, total: number])[];

export function createScenario(speed: "full" | "fast"): Scenario {
  const beats = speed === "full" ? full : fast;
  // Peaks stand clear of the 10 % tolerance: one replica fewer would run at 115 % of its target or more.
  const swell = (quiet: number, peak: number): Shape => [
    [0, quiet],
    [beats.ramp, quiet],
    [beats.spike, peak],
  ];

  return {
    fallAtMs: beats.fall * 1000,
    timeoutMs: 30_000,
    quietMs: beats.quiet * 1000,
    others: [
      { ...deployment("checkout", "web"), metric: "packets", points: pointsOf([[0, 850]]) },
      { ...deployment("billing", "pay"), metric: "packets", points: pointsOf(swell(350, 1900)) },
    ],
    streams: [
      stream(
        swell(700, 5750),
        { workload: "router", metric: "packets-per-second", perReplica: 1000, unit: "packets/s" },
        { ...deployment("router"), metric: "packets" },
      ),
      // A Value target is compared as it stands, so the Ingress reports what each backend gets.
      stream(
        swell(1500, 9400),
        { workload: "shop", metric: "requests-per-second", perReplica: 2000, unit: "requests/s" },
        {
          namespace: "default",
          kind: "Ingress",
          name: "main-route",
          metric: "requests",
          perReadyPodOf: deployment("shop"),
        },
      ),
      stream(
        swell(24, 140),
        { workload: "worker", metric: "queue_depth", perReplica: 30, unit: "messages" },
        { namespace: "default", kind: "Queue", name: "orders", metric: "queue" },
      ),
      // Packets lead on the way up, until the cpu takes over.
      stream(
        swell(350, 1900),
        { workload: "api", metric: "packets-per-second", perReplica: 500, unit: "packets/s" },
        { ...deployment("api"), metric: "packets" },
      ),
      stream(
        [
          [0, 0.15],
          [beats.turn, 0.15],
          [beats.turn + 1, 1.4],
        ],
        { workload: "api", metric: "cpu", perReplica: 0.3, unit: "cores" },
        { ...deployment("api"), metric: "cpu" },
      ),
      gateway(beats.spike),
    ],
  };
}

/** Its pods are read live: it follows a step at once. */
function gateway(atSeconds: number): Stream {
  const shape: Shape = [
    [0, 400],
    [atSeconds, 400],
    [atSeconds, 2900],
  ];
  const about = { workload: "gateway", metric: "query[0] live", perReplica: 500, unit: "packets/s" };
  const steps = stream(shape, about, { ...deployment("gateway"), metric: "packets" });
  return { ...steps, stepAtMs: atSeconds * 1000 };
}

const deployment = (name: string, namespace = "default") => ({ namespace, kind: "Deployment", name });

const pointsOf = (shape: Shape) => shape.map(([at, value]) => ({ atMs: at * 1000, value }));

function stream(
  shape: Shape,
  about: Omit<Stream, "peak" | "load">,
  on: Omit<WorkloadLoad, "points">,
): Stream {
  return {
    ...about,
    peak: Math.max(...shape.map(([, total]) => total)),
    load: { ...on, points: pointsOf(shape) },
  };
}

/** Replicas that the formula gives for a stream at its peak. */
export function wantedAtPeak(stream: Stream): number {
  return Math.min(MAX_REPLICAS, Math.max(1, Math.ceil(stream.peak / stream.perReplica)));
}

/** All loads, from quiet to the peak. */
export function swellingLoads({ streams, others }: Scenario): readonly WorkloadLoad[] {
  return [...streams.map(({ load }) => load), ...others];
}

/** The loads as they are before the spike and after it. */
export function quietLoads(scenario: Scenario): readonly WorkloadLoad[] {
  return swellingLoads(scenario).map((load) => ({ ...load, points: load.points.slice(0, 1) }));
}

/** What is left to look at: quiet, but for a queue that is longer than the most replicas can work off. */
export function keptLoads(scenario: Scenario): readonly WorkloadLoad[] {
  return quietLoads(scenario).map((load) =>
    load.metric === "queue" ? { ...load, points: [{ atMs: 0, value: 400 }] } : load,
  );
}
