// What a recording does not say, and what that does to its counterfactual.

import type { Autoscaler } from "@plimsoll/simulator";
import { metricsOf } from "@plimsoll/simulator/parts";
import type { RecordedPod, RecordedSpan, Recording } from "../replay/recording.ts";
import { type CensoredLoad, sharePart } from "./censoring.ts";
import type { InferredLoad } from "./load.ts";
import { metricKey, metricText } from "./metric-target.ts";

/** One thing that is unknown. */
export interface Unknown {
  readonly kind:
    | "at-max"
    | "pending"
    | "bridged"
    | "left-out"
    | "noise"
    | "new-pods"
    | "metric"
    | "idle"
    | "skew";
  /** Of the time, 0–1. */
  readonly share: number;
  /** What follows from it. */
  readonly effect: string;
}

/** All that applies to a recording. */
export function unknownsOf(
  recording: Recording,
  { inferred, autoscaler }: { readonly inferred: InferredLoad; readonly autoscaler: Autoscaler },
  censored: readonly CensoredLoad[],
): readonly Unknown[] {
  const { span, pods } = recording;
  const { bridgedShare, leftOutShare, noise, metric, known, seriesAtMaxIdle } = inferred;
  const names = known.map(metricText);
  const others = metricsOf(autoscaler)
    .map((spec) => metricText(metricKey(spec)))
    .filter((name) => !names.includes(name));
  const isStatus = recording.metrics.some(({ index, level }) => index === metric.index && level === "status");
  const rollouts = rolloutsOf(pods, span);
  const found: readonly Unknown[] = [
    ...censored.map(
      ({ kind, spans }): Unknown => ({
        kind,
        share: sharePart(spans, span),
        effect: `load ${censoredWhere[kind]} is a lower bound`,
      }),
    ),
    { kind: "bridged", share: bridgedShare, effect: "gaps of up to 5 min in the samples are bridged" },
    { kind: "left-out", share: leftOutShare, effect: "longer gaps in the samples are left out" },
    {
      kind: "noise",
      share: noise?.isAtLeast === true ? 1 : 0,
      effect: "the load moves faster than its samples: HOT and SHORT are at least what is shown",
    },
    {
      kind: "new-pods",
      share: rollouts.length === 0 ? 0 : sharePart(rollouts, span),
      effect: "pods of another template: their capacity may differ from earlier pods",
    },
    {
      kind: "idle",
      share: seriesAtMaxIdle === undefined ? 0 : 1,
      effect: "a pod's usage without load: shown with none, and with the highest that the recording allows",
    },
    {
      kind: "skew",
      share: isStatus ? 1 : 0,
      effect: "the level is status: differences between pods",
    },
    ...others.map(
      (name): Unknown => ({
        kind: "metric",
        share: 1,
        effect: `${name} is left out: its load is unknown`,
      }),
    ),
  ];
  return found.filter(({ share }) => share > 0);
}

const censoredWhere = { "at-max": "at maxReplicas", pending: "while pods are Pending" } as const;

/** From the first pod of a second template on: the names of pods of a ReplicaSet have its hash in them. */
function rolloutsOf(pods: readonly RecordedPod[], { fromMs, toMs }: RecordedSpan): readonly RecordedSpan[] {
  const hashes = new Map<string, number>();
  for (const { name, createdMs } of pods) {
    const hash = /-([0-9a-z]{6,10})-[0-9a-z]{5}$/.exec(name)?.[1];
    if (hash !== undefined) hashes.set(hash, Math.min(createdMs, hashes.get(hash) ?? createdMs));
  }
  const [first, ...later] = [...hashes.values()].toSorted((a, b) => a - b);
  if (first === undefined) return [];
  return later.filter((atMs) => atMs > fromMs).map((atMs) => ({ fromMs: atMs, toMs }));
}
