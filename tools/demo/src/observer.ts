import type { Decision, MetricSpec } from "@plimsoll/core";
import { asDecided } from "@plimsoll/core/queries";
import type { Stack } from "@plimsoll/testbed";
import { type Explanation, explanationOf } from "./explanation.ts";
import type { Scenario, Stream } from "./scenario.ts";
import { type Result, resultOf } from "./summary.ts";
import { renderTable } from "./table.ts";

/** Watches what the workloads and their autoscaler do. */
export interface Observer {
  /** True once each metric of each autoscaler, those that are no row included, was read in its latest decision. */
  everyMetricIsRead(): Promise<true | undefined>;
  /** The load begins now. */
  begin(): void;
  /** From the step in the load of a workload to the first write of more replicas. */
  reactionMs(workload: string): number | undefined;
  /** Takes one look. */
  tick(): Promise<void>;
  picture(options: {
    readonly elapsedMs: number;
    readonly width: number;
    readonly color: boolean;
  }): readonly string[];
  /** Every workload has been steady for that many looks. */
  hasSettled(looks: number): boolean;
  results(): readonly Result[];
  stop(): void;
}

interface DecisionRecord {
  readonly namespace: string;
  readonly name: string;
  readonly decision: Decision;
}

interface Track {
  readonly streams: readonly Stream[];
  readonly loads: number[];
  readonly counts: number[];
  readonly winners: Set<string>;
  explanation: Explanation;
  wanted: number;
  replicas: number;
  peak: number;
  reactionMs: number | undefined;
  steadyLooks: number;
}

const NAMESPACE = "default";
const HPAS = "horizontalpodautoscalers.autoscaling";
const WLAS = "workloadautoscalers.autoscaling.plimsoll.dev";

export function createObserver(options: {
  readonly stack: Pick<Stack, "store" | "load">;
  readonly scenario: Scenario;
  /** Where the autoscaler serves its decisions. */
  readonly decisionsUrl: string;
}): Observer {
  const { store, load } = options.stack;
  const tracks = tracksOf(options.scenario);
  let beganAt = Number.POSITIVE_INFINITY;

  // No peak is missed between two looks.
  const unsubscribe = store.subscribe(({ resource, object }) => {
    const track = resource === "deployments.apps" ? tracks.get(object.metadata.name) : undefined;
    if (track === undefined) return;
    const before = track.replicas;
    track.replicas = replicasOf(object);
    if (track.replicas > before) react(track, performance.now() - beganAt);
    track.peak = Math.max(track.peak, track.replicas);
  });

  const decisions = async (): Promise<readonly DecisionRecord[]> => {
    const response = await fetch(`${options.decisionsUrl}/apis/decisions/v1`);
    // A busy server may respond 503, and is asked again.
    if (!response.ok) return [];
    const { items } = (await response.json()) as { items: readonly DecisionRecord[] };
    return items;
  };

  return {
    async everyMetricIsRead() {
      const records = await decisions();
      const ready = records.filter(({ decision }) => decision.outcome.error === "none");
      return ready.length === tracks.size + options.scenario.others.length ? true : undefined;
    },
    begin: () => void (beganAt = performance.now()),
    reactionMs: (workload) => tracks.get(workload)?.reactionMs,
    async tick() {
      for (const { namespace, name, decision } of await decisions()) {
        const track = namespace === NAMESPACE ? tracks.get(name) : undefined;
        if (track === undefined) continue;
        track.explanation = explanationOf(decision, metricsOf(store, name));
        track.wanted = decision.desiredReplicas;
        if (track.explanation.metric !== "") track.winners.add(track.explanation.metric);
      }
      for (const [name, track] of tracks) {
        const deployment = store.get("deployments.apps", NAMESPACE, name);
        if (deployment !== undefined) track.replicas = replicasOf(deployment);
        look(track, load.total);
      }
    },
    picture({ elapsedMs, width, color }) {
      const rows = [...tracks].map(([workload, track]) => ({ workload, ...track }));
      return [`${(elapsedMs / 1000).toFixed(0).padStart(3)} s`, ...renderTable(rows, { width, color })];
    },
    hasSettled: (looks) => [...tracks.values()].every((track) => track.steadyLooks >= looks),
    results: () => [...tracks].map(([workload, track]) => resultOf({ workload, ...track })),
    stop: unsubscribe,
  };
}

/** The load of some workloads steps up at an instant. */
function react(track: Track, sinceBeginMs: number): void {
  const stepAtMs = track.streams[0]?.stepAtMs;
  if (stepAtMs !== undefined && sinceBeginMs >= stepAtMs) track.reactionMs ??= sinceBeginMs - stepAtMs;
}

function tracksOf({ streams }: Scenario): ReadonlyMap<string, Track> {
  const empty = { metric: "", reading: "", reason: "", steady: false };
  const numbers = { wanted: 0, replicas: 0, peak: 0, reactionMs: undefined, steadyLooks: 0 };
  return new Map(
    [...Map.groupBy(streams, (stream) => stream.workload)].map(([workload, own]) => [
      workload,
      { streams: own, loads: [], counts: [], winners: new Set<string>(), explanation: empty, ...numbers },
    ]),
  );
}

function metricsOf(store: Stack["store"], name: string): readonly MetricSpec[] {
  const object = store.get(HPAS, NAMESPACE, name) ?? store.get(WLAS, NAMESPACE, name);
  const { spec } = asDecided(object ?? {}) as {
    readonly spec?: { readonly metrics?: readonly MetricSpec[] };
  };
  return spec?.metrics ?? [];
}

function look(track: Track, total: Stack["load"]["total"]): void {
  const isSteady = track.explanation.steady && track.wanted === track.replicas;
  track.steadyLooks = isSteady ? track.steadyLooks + 1 : 0;
  track.loads.push(Math.max(...track.streams.map((stream) => shareOf(stream, total))));
  track.counts.push(track.replicas);
}

/** Load in replicas' worth, so that streams of different units share one line. */
function shareOf({ load, perReplica }: Stream, total: Stack["load"]["total"]): number {
  return (total(`${load.namespace}/${load.name}`, load.metric) ?? 0) / perReplica;
}

function replicasOf(deployment: object): number {
  return (deployment as { spec?: { replicas?: number } }).spec?.replicas ?? 0;
}
