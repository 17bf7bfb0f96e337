import {
  type AppliedDecision,
  type DecideInput,
  type DecideResult,
  decide,
  encodeRecord,
  type HpaMemory,
  type HpaStatus,
  type MetricSpec,
  replay,
  summarize,
} from "@plimsoll/core";
import type { LoggedDecision } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import {
  createDecisionStore,
  type DecisionStore,
  type DecisionStoreDeps,
} from "../../src/decisions/decision-log.ts";

function storeOf(keep: number, more: Partial<DecisionStoreDeps> = {}) {
  return createDecisionStore({ keep, historyBytes: 1e9, inputs: true, decide, summarize, ...more });
}

/** A decision as it was logged, and what it was made from. */
interface DecisionMade extends Pick<LoggedDecision, "resource" | "namespace" | "name" | "uid" | "decision"> {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly decided: DecideResult;
  readonly applied: AppliedDecision;
}

function add(store: DecisionStore, key: string, one: DecisionMade): void {
  const { input, memory, decided, applied, ...logged } = one;
  const at = new Date(input.nowMs).toISOString();
  store.add(
    key,
    { ...logged, at, mode: "active", applied: applied.outcome },
    { input, memory, result: decided, applied },
  );
}

/** A decision on so many metrics of so many pods. */
function made(
  name: string,
  size: { readonly metrics: number; readonly pods: number; readonly nameLength?: number },
): DecisionMade {
  const names = Array.from({ length: size.pods }, (_, n) => `${name}-${n}`);
  const metrics = Array.from({ length: size.metrics }, (_, n): MetricSpec => {
    const target = { type: "AverageValue", averageValue: "10" };
    return { type: "Pods", pods: { metric: { name: `m${n}${"x".repeat(size.nameLength ?? 0)}` }, target } };
  });
  const pods = names.map((pod) => ({ name: pod, value: "10" }));
  const input: DecideInput = {
    nowMs: 0,
    hpa: {
      metadata: { name, namespace: "shop" },
      spec: { scaleTargetRef: { kind: "Deployment", name }, maxReplicas: 10, metrics },
    },
    scale: { ok: true, specReplicas: 3, statusReplicas: 3, selector: "app=shop" },
    pods: { ok: true, pods: names.map((pod) => ({ metadata: { name: pod } })) },
    samples: metrics.map(() => ({ pods })),
  };
  const decided = decide(input);
  return {
    resource: "horizontalpodautoscalers",
    namespace: "shop",
    name,
    uid: name,
    input,
    memory: undefined,
    decided,
    applied: { outcome: "nothing-to-do" },
    decision: decided.decision,
  };
}

test("decisions of usual length are kept with their inputs, as many as wanted, and replay to the byte", () => {
  const store = storeOf(3);
  const one = made("web", { metrics: 2, pods: 20 });
  for (let n = 0; n < 5; n++) add(store, "shop/web", one);
  const kept = store.of("shop", "web");
  expect(kept.map(({ decision }) => decision)).toEqual([one.decision, one.decision, one.decision]);
  expect(kept[0]).toMatchObject({ at: "1970-01-01T00:00:00.000Z", applied: "nothing-to-do", uid: "web" });
  const records = store.records("shop", "web");
  expect(records).toHaveLength(3);
  for (const record of records) expect(replay(record)).toEqual(one.decided);
});

test("no trace is kept of a decision that can be replayed", () => {
  let calls = 0;
  const store = storeOf(3, {
    decide: (input, memory) => {
      calls++;
      return decide(input, memory);
    },
  });
  add(store, "shop/web", made("web", { metrics: 2, pods: 20 }));
  const [kept] = store.newest();
  expect(kept?.shared.cutTrace).toEqual([]);
  expect(JSON.stringify(kept)).not.toContain('"kind":"metric"');
  const [decision] = store.latest();
  expect(calls).toBe(0);
  expect(decision?.decision.trace).toBe(decision?.decision.trace);
  expect(calls).toBe(1);
});

test("a write that failed shows in the trace that is recomputed", () => {
  const store = storeOf(3);
  const one = made("web", { metrics: 1, pods: 20 });
  const decided = decide({ ...one.input, samples: [{ pods: one.input.samples.flatMap(tripled) }] });
  const input = { ...one.input, samples: [{ pods: one.input.samples.flatMap(tripled) }] };
  expect(decided.decision.scaleTo).toBeGreaterThan(3);
  const applied = { outcome: "scale-failed", message: "etcd is full", isUncertain: true } as const;
  add(store, "shop/web", { ...one, input, decided, applied });
  const [kept] = store.of("shop", "web");
  const error = "failed to rescale Deployment/shop/web: etcd is full";
  expect(kept?.decision.trace.at(-1)).toMatchObject({ kind: "result", action: "error", error });
  const [record] = store.records("shop", "web");
  expect(record).toMatchObject({ applied, result: { decision: { scaleTo: decided.decision.scaleTo } } });
  expect(record && encodeRecord(record)).not.toContain('"trace"');

  function tripled(samples: DecideInput["samples"][number]) {
    return "pods" in samples ? samples.pods.map(({ name }) => ({ name, value: "30" })) : [];
  }
});

test("an input with many metrics of many pods is replaced by its trace, of which 20,000 entries are kept", () => {
  const store = storeOf(20);
  const long = made("web", { metrics: 50, pods: 300 });
  for (let n = 0; n < 5; n++) add(store, "shop/web", long);
  expect(store.of("shop", "web").map(({ decision }) => decision)).toEqual([long.decision]);
  expect(store.records("shop", "web")).toHaveLength(1);
  const longer = made("web", { metrics: 100, pods: 300 });
  for (let n = 0; n < 5; n++) add(store, "shop/web", longer);
  const kept = store.of("shop", "web");
  expect(kept).toHaveLength(1);
  expect(kept[0]?.leftOut).toBe(100 * 300 - 20_000);
  expect(kept[0]?.decision.trace).toHaveLength(longer.decision.trace.length);
  expect(store.newest()[0]?.shared.entries).toBe(20_000 + 100);
  expect(store.records("shop", "web")).toEqual([]);
});

test("a long specification counts by its characters", () => {
  const store = storeOf(20);
  const long = made("web", { metrics: 10, pods: 1, nameLength: 150_000 });
  for (let n = 0; n < 5; n++) add(store, "shop/web", long);
  expect(store.of("shop", "web")).toHaveLength(1);
});

test("a decision that is too large to be kept keeps nothing of its specification", () => {
  const store = storeOf(20);
  const long = made("web", { metrics: 100, pods: 300 });
  const metadata = { name: "web", namespace: "shop" };
  const spec = { ...long.input.hpa.spec, behavior: { scaleUp: { selectPolicy: "of the specification" } } };
  add(store, "shop/web", { ...long, input: { ...long.input, hpa: { metadata, spec } } });
  expect(store.newest()).toHaveLength(1);
  expect(JSON.stringify(store.newest())).not.toContain("of the specification");
});

test("many such objects together keep little more than 2,000,000 entries, and free them when they go", () => {
  const store = storeOf(20);
  const long = made("web", { metrics: 100, pods: 150 });
  const names = Array.from({ length: 1000 }, (_, n) => `web-${n}`);
  const addAll = () => {
    for (const name of names) add(store, `shop/${name}`, { ...long, name });
  };
  for (let turn = 0; turn < 3; turn++) addAll();
  expect(store.newest()).toHaveLength(names.length);
  expect(store.newest().reduce((sum, { shared }) => sum + shared.entries, 0)).toBeLessThan(2_400_000);
  for (const name of names) store.drop(`shop/${name}`);
  add(store, "shop/web", long);
  expect(store.records("shop", "web")).toHaveLength(1);
});

test("the history of all objects together keeps to its bytes, and the newest of each is always kept", () => {
  const store = storeOf(20, { historyBytes: 100_000 });
  const names = Array.from({ length: 20 }, (_, n) => `web-${n}`);
  for (let turn = 0; turn < 10; turn++)
    for (const name of names) {
      const { input, ...one } = made(name, { metrics: 1, pods: 15 });
      const scale = { ok: true, specReplicas: turn, statusReplicas: 3, selector: "app=shop" } as const;
      add(store, `shop/${name}`, { ...one, input: { ...input, scale } });
    }
  const kept = names.map((name) => store.records("shop", name).length);
  expect(new Set(kept)).toEqual(new Set([4]));
  for (let n = 0; n < 1000; n++) add(store, `shop/more-${n}`, made(`more-${n}`, { metrics: 1, pods: 15 }));
  for (const name of names) add(store, `shop/${name}`, made(name, { metrics: 1, pods: 15 }));
  expect(names.map((name) => store.records("shop", name).length)).toEqual(names.map(() => 1));
});

test("decisions that differ only in their times take a part of that, and each replays to the byte", () => {
  const store = storeOf(20, { historyBytes: 160_000 });
  const names = Array.from({ length: 20 }, (_, n) => `web-${n}`);
  const decided = names.map((name) => {
    const one = made(name, { metrics: 1, pods: 15 });
    let memory: HpaMemory | undefined;
    let status: HpaStatus | undefined;
    return Array.from({ length: 15 }, (_, turn) => {
      const input = { ...one.input, nowMs: turn * 60_000, hpa: { ...one.input.hpa, status } };
      const result = decide(input, memory);
      add(store, `shop/${name}`, { ...one, input, memory, decided: result, decision: result.decision });
      ({ memory } = result);
      ({ status } = result.decision);
      return result;
    });
  });
  for (const [index, name] of names.entries()) {
    const records = store.records("shop", name);
    expect(records).toHaveLength(15);
    expect(records.map(replay)).toEqual(decided[index]);
    expect(records.map(({ result }) => result.memory)).toEqual(decided[index]?.map(({ memory }) => memory));
    const traces = store.of("shop", name).map(({ decision }) => decision.trace);
    expect(traces).toEqual(decided[index]?.map(({ decision }) => decision.trace));
  }
});

test("the memory that a decision was made with counts where it is kept whole", () => {
  const store = storeOf(20, { historyBytes: 100_000 });
  const recommendations = Array.from({ length: 200 }, (_, n) => ({ replicas: 3, atMs: n }));
  const memory: HpaMemory = { recommendations, scaleUpEvents: [], scaleDownEvents: [] };
  const one = made("web", { metrics: 1, pods: 15 });
  for (let turn = 0; turn < 20; turn++) add(store, "shop/web", { ...one, memory });
  expect(store.records("shop", "web")).toHaveLength(10);
});

test("without inputs there is the trace of each decision, and nothing to replay", () => {
  let calls = 0;
  const store = storeOf(3, {
    inputs: false,
    decide: (input, memory) => {
      calls++;
      return decide(input, memory);
    },
  });
  const one = made("web", { metrics: 2, pods: 20 });
  add(store, "shop/web", one);
  expect(store.of("shop", "web")[0]?.decision).toEqual(one.decision);
  expect([store.records("shop", "web"), store.newest()[0]?.shared.basis, calls]).toEqual([[], undefined, 0]);
});

test("a row says since when the same step holds, and is of the object that there is now", () => {
  const store = storeOf(3);
  const one = made("web", { metrics: 1, pods: 20 });
  const at = (nowMs: number, uid = "web"): DecisionMade => ({ ...one, uid, input: { ...one.input, nowMs } });
  add(store, "shop/web", at(15_000));
  add(store, "shop/web", at(30_000));
  const since = () => store.rows.get("shop/web")?.since;
  expect([since(), store.rows.get("shop/web")?.at]).toEqual([
    "1970-01-01T00:00:15.000Z",
    "1970-01-01T00:00:30.000Z",
  ]);
  expect(store.rows.version).toBe(1);
  add(store, "shop/web", at(45_000, "another"));
  expect(since()).toBe("1970-01-01T00:00:45.000Z");
  expect(store.rows.get("shop/web")).toMatchObject({
    target: { kind: "Deployment", name: "web" },
    min: 1,
    max: 10,
    metrics: [{ name: "m0", value: "10 each", target: "10 each" }],
  });
  store.drop("shop/web");
  expect([store.rows.all(), store.rows.since(0)?.deleted]).toMatchObject([
    [],
    [{ name: "web", uid: "another" }],
  ]);
});

test("a name that looks like the key of a WorkloadAutoscaler gives no decisions of it", () => {
  const store = storeOf(3);
  add(store, "shop/wla:web", { ...made("web", { metrics: 1, pods: 1 }), resource: "workloadautoscalers" });
  expect(store.of("shop", "web", "workloadautoscalers")).toHaveLength(1);
  expect(store.of("shop", "wla:web", "horizontalpodautoscalers")).toEqual([]);
  expect(store.records("shop", "wla:web", "horizontalpodautoscalers")).toEqual([]);
});
