// What would follow: the simulator decides again and again from the edited decision on.
import { type DecisionRecord, recordDecision } from "@plimsoll/core";
import { project } from "@plimsoll/simulator";
import type { ChartData } from "../chart/series.ts";
import type { WhatIf } from "./what-if.ts";

export interface Played {
  readonly chart: ChartData;
  readonly notes: readonly string[];
}

export interface PlayOptions {
  readonly forMs: number;
  readonly periodMs: number;
}

/** From the creation of a pod until it is Ready and has a value. */
const readyAfterMs = 30_000;

/** The load stays in total; what is decided is done, whatever the mode is. */
export function play(
  record: DecisionRecord,
  { input, changed }: WhatIf,
  { forMs, periodMs }: PlayOptions,
): Played {
  const active = { ...input, mode: "Active" as const };
  const { decision } = changed;
  const outcome = decision.scaleTo === undefined ? ("nothing-to-do" as const) : ("scaled" as const);
  const made = recordDecision({
    input: active,
    memory: record.memory,
    result: changed,
    applied: { outcome },
  });
  const { steps, notes } = project(made, {
    forMs,
    periodMs,
    readyAfterMs,
    load: "constant-total",
    changes: [],
  });
  const { minReplicas, maxReplicas } = input.hpa.spec;
  const first = {
    atMs: input.nowMs,
    replicas: decision.currentReplicas,
    desired: decision.scaleTo ?? decision.currentReplicas,
  };
  const all = [first, ...steps.map(({ atMs, replicas, desired }) => ({ atMs, replicas, desired }))];
  return {
    notes,
    chart: {
      title: `The next ${forMs / 60_000} minutes, with the load as it is`,
      unit: "",
      times: all.map(({ atMs }) => atMs / 1000),
      lines: [
        { name: "replicas", kind: "now", isStepped: true, values: all.map(({ replicas }) => replicas) },
        { name: "desired", kind: "proposed", isStepped: true, values: all.map(({ desired }) => desired) },
        { name: "max", kind: "bound", isStepped: true, values: all.map(() => maxReplicas) },
        { name: "min", kind: "bound", isStepped: true, values: all.map(() => minReplicas ?? 1) },
      ],
    },
  };
}
