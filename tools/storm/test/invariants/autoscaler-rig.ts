// A world with one object and two autoscalers, whose clocks can be set, as far as invariants look at it.
import { createEntryMeter } from "@plimsoll/component-base";
import { type DecideInput, decide, type HpaMemory } from "@plimsoll/core";
import { createObjectStore, type StoreEvent } from "@plimsoll/sandbox";
import type { ServerRequest } from "../../src/network/network.ts";
import type { CreateInvariant, Observation, World } from "../../src/run/world.ts";
import type { Setup } from "../../src/scenario/scenario.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";
import { problemOf } from "./outcome.ts";

export const leaseResource = "leases.coordination.k8s.io";

export function autoscalerRig(
  create: CreateInvariant,
  setup: Pick<Setup, "coordination" | "flags"> = { coordination: "leader" },
) {
  const time = createVirtualTime(Date.parse("2026-06-01T12:00:00Z"));
  const store = createObjectStore({ clock: { nowMs: () => time.nowMs, after: time.after } });
  const aheadMs = new Map<string, number>();
  const runs = new Map<string, number>();
  const restored: (() => void)[] = [];
  const kept = new Map<string, readonly object[]>();
  const series = new Map<string, string>();
  const first = "autoscaler-0";
  const meter = createEntryMeter();
  const world = {
    time,
    cluster: { store, onRestore: (listener: () => void) => restored.push(listener) },
    scenario: { setup: { objects: [], ...setup }, events: [], stormMs: 0, quietMs: 250_000 },
    processes: {
      names: [first, "autoscaler-1"],
      get: (name: string) => ({
        state: "running",
        run: runs.get(name) ?? 1,
        clock: { nowMs: () => time.nowMs + (aheadMs.get(name) ?? 0) },
      }),
    },
    configs: new Map(),
    coordinations: new Map(),
    meters: new Map([[first, meter]]),
    autoscalers: new Map(
      [first, "autoscaler-1"].map((name) => [
        name,
        {
          decisions: { latest: () => kept.get(name) ?? [], records: () => [] },
          metrics: () => Promise.resolve(series.get(name) ?? ""),
        },
      ]),
    ),
  };
  const invariant = create(world as unknown as World);
  const observe = (observation: Observation) => problemOf(invariant.observe?.(observation));
  const requestOf = (process: string, method: ServerRequest["method"], path: string, body?: unknown) => ({
    caller: process,
    method,
    path,
    query: new URLSearchParams(method === "GET" ? {} : { fieldManager: "plimsoll-autoscaler" }),
    headers: {},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return {
    store,
    aheadMs,
    runs,
    kept,
    series,
    /** Of the first autoscaler. */
    meter,
    observe,
    nowMs: () => time.nowMs,
    end: () => problemOf(invariant.end?.()),
    pass: (seconds: number) => time.runUntil(time.nowMs + seconds * 1000),
    restore: () => restored.forEach((listener) => listener()),
    sent: (process: string, method: ServerRequest["method"], path: string, body?: unknown) =>
      observe({ kind: "sent", process, fault: undefined, request: requestOf(process, method, path, body) }),
    received: (
      process: string,
      method: ServerRequest["method"],
      path: string,
      {
        code = 200,
        body = {},
        fieldManager = "plimsoll-autoscaler",
      }: { readonly code?: number; readonly body?: unknown; readonly fieldManager?: string },
    ) =>
      observe({
        kind: "received",
        process,
        request: { ...requestOf(process, method, path), query: new URLSearchParams({ fieldManager }) },
        code,
        body: JSON.stringify(body),
      }),
    written: (writer: string, event: Partial<StoreEvent> & Pick<StoreEvent, "resource" | "object">) =>
      observe({
        kind: "written",
        writer,
        sentAtMs: undefined,
        event: { type: "MODIFIED", version: 1, ...event },
      }),
    decided(process: string, input: Partial<DecideInput> = {}, memory?: HpaMemory) {
      const whole = { ...decideInput(), nowMs: time.nowMs + (aheadMs.get(process) ?? 0), ...input };
      const result = decide(whole, memory);
      return { message: observe({ kind: "decided", process, input: whole, memory, result }), result };
    },
  };
}

export const scalePath = "/apis/apps/v1/namespaces/team-a/deployments/shop/scale";

export function hpaWith(spec: object = {}): DecideInput["hpa"] {
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "team-a", uid: "u1", generation: 1 },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      maxReplicas: 10,
      metrics: [
        {
          type: "External",
          external: { metric: { name: "orders" }, target: { type: "AverageValue", averageValue: "10" } },
        },
      ],
      ...spec,
    },
  };
}

/** Of an HPA with two replicas, by one metric; each replica takes ten. */
function decideInput(): DecideInput {
  return {
    nowMs: 0,
    hpa: hpaWith(),
    scale: scaleOf(2),
    pods: { ok: true, pods: [] },
    samples: orders(20),
  };
}

export function scaleOf(replicas: number): DecideInput["scale"] {
  return { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" };
}

export function orders(value: number): DecideInput["samples"] {
  return [{ values: [{ value: String(value) }] }];
}

/** A memory in which one recommendation counts, and no change. */
export const known: HpaMemory = {
  recommendations: [{ replicas: 2, atMs: 0 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};
