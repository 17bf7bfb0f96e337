import type { Autoscaler } from "@plimsoll/autoscaler";
import { type DecideInput, decide, type HpaMemory } from "@plimsoll/core";
import { createObjectStore, type StoredObject, type StoreEvent } from "@plimsoll/sandbox";
import type { ServerRequest } from "../../src/network/network.ts";
import type { CreateInvariant, Observation, World } from "../../src/run/world.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";
import { problemOf } from "./outcome.ts";

/** A world with an empty cluster and two autoscalers, as far as invariants look at it. */
export function invariantRig(create: CreateInvariant, coordination: "leader" | "shards" = "leader") {
  const time = createVirtualTime(Date.parse("2026-06-01T12:00:00Z"));
  const store = createObjectStore({ clock: { nowMs: () => time.nowMs, after: time.after } });
  const owned = new Map<string, readonly string[]>();
  const served = new Map<string, readonly string[]>();
  const restored: (() => void)[] = [];
  let aheadMs = 0;
  const autoscaler = (process: string) => ({
    owns: (key: string) => owned.get(process)?.includes(key) === true,
    decisions: {
      of: (_: string, name: string) => (served.get(process) ?? []).filter((one) => one === name),
    },
  });
  const world = {
    time,
    cluster: { store, onRestore: (listener: () => void) => restored.push(listener) },
    scenario: { setup: { coordination, objects: [hpa()] }, events: [] },
    processes: {
      names: ["autoscaler-0", "autoscaler-1"],
      get: () => ({ state: "running", clock: { nowMs: () => time.nowMs + aheadMs } }),
    },
    configs: new Map(),
    autoscalers: new Map(["autoscaler-0", "autoscaler-1"].map((name) => [name, autoscaler(name)])),
  };
  const invariant = create(world as unknown as World & { autoscalers: Map<string, Autoscaler> });
  const observe = (observation: Observation) => problemOf(invariant.observe?.(observation));
  return {
    store,
    owned,
    served,
    observe,
    /** The clock of all machines is set. */
    setClock: (minutesAhead: number) => {
      aheadMs = minutesAhead * 60_000;
    },
    /** Minutes pass. */
    pass: (minutes: number) => time.runUntil(time.nowMs + minutes * 60_000),
    restore: () => restored.forEach((listener) => listener()),
    decided(process: string, input: Partial<DecideInput> = {}, memory?: HpaMemory) {
      const whole = { ...decideInput(), nowMs: time.nowMs, ...input };
      return observe({ kind: "decided", process, input: whole, memory, result: decide(whole, memory) });
    },
    logged: (process: string, message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      observe({ kind: "logged", process, message, fields }),
    written: (writer: string, event: Partial<StoreEvent>, sentAtMs?: number) =>
      observe({
        kind: "written",
        writer,
        sentAtMs,
        event: {
          resource: "horizontalpodautoscalers.autoscaling",
          type: "MODIFIED",
          object: hpa(),
          version: 1,
          ...event,
        },
      }),
    /** The scale of the target is sent. */
    sent: (process: string) =>
      observe({
        kind: "sent",
        process,
        fault: undefined,
        request: requestOf(process, "PUT", "/apis/apps/v1/namespaces/team-a/deployments/shop/scale"),
      }),
    watched: (process: string, version: number) =>
      observe({
        kind: "watched",
        process,
        request: requestOf(process, "GET", "/apis/autoscaling/v2/horizontalpodautoscalers"),
        text: `{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"${version}"}}}`,
      }),
    /** A list of a version, or a look at it with limit=1. */
    listed: (process: string, version: number, query: Readonly<Record<string, string>>, token = "") =>
      observe({
        kind: "received",
        process,
        request: {
          ...requestOf(process, "GET", "/apis/autoscaling/v2/horizontalpodautoscalers"),
          query: new URLSearchParams(query),
        },
        code: 200,
        body: JSON.stringify({
          metadata: { resourceVersion: `${version}`, ...(token && { continue: token }) },
        }),
      }),
    nowMs: () => time.nowMs,
  };
}

export function hpa(spec: object = {}): StoredObject & { apiVersion: string; kind: string } {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "team-a", uid: "u1" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      maxReplicas: 10,
      metrics: [external("orders")],
      ...spec,
    },
  };
}

export function external(name: string) {
  return {
    type: "External",
    external: { metric: { name }, target: { type: "AverageValue", averageValue: "10" } },
  };
}

function requestOf(caller: string, method: "GET" | "PUT", path: string): ServerRequest {
  const query = new URLSearchParams({ fieldManager: "plimsoll-autoscaler" });
  return { caller, method, path, query, headers: {}, body: undefined };
}

/** Of an HPA with two replicas, by one metric. */
function decideInput(): DecideInput {
  return {
    nowMs: 0,
    hpa: hpa() as unknown as DecideInput["hpa"],
    scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: "10" }] }],
  };
}
