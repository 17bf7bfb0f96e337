// The lives of pods: quantiles of their start, crashes, deletions, nodes, and who goes first.
import { expect, test } from "vitest";
import type { PodModel } from "../src/index.ts";
import { loadCursor } from "../src/load/cursor.ts";
import { createFlow } from "../src/plant/flow.ts";
import { createNodes, needOf } from "../src/plant/nodes.ts";
import type { SimulatedPod } from "../src/plant/pod.ts";
import { createPods } from "../src/plant/pods.ts";
import { scaleDownOrder } from "../src/plant/scale-down-order.ts";
import { drawDelay } from "../src/random/distributions.ts";
import { randomStream } from "../src/random/stream.ts";
import { constant, pod, workload } from "../src/testing/index.ts";

/** Pods that start at 0, with nothing else around them. */
function podsOf(model: Partial<PodModel>, replicas = 0) {
  const own = workload({ replicas, pod: { ...pod, ...model } });
  const load = loadCursor(constant(0), 0, { seed: 1, purpose: "load" });
  const limits = { queueLimit: Infinity, timeoutMs: Infinity };
  const { flow, advance } = createFlow(
    { capacity: 200, serviceTimeMs: 40, ...limits },
    load,
    0,
    () => undefined,
  );
  const pods = createPods({
    workload: own,
    seed: 1,
    flow,
    startMs: 0,
    nodes: undefined,
    keptMs: 60_000,
    advance,
  });
  /** Lets everything happen until then. */
  const until = (atMs: number): void => {
    for (; pods.nextMs <= atMs; pods.step(pods.nextMs)) advance(pods.nextMs);
    advance(atMs);
  };
  return { pods, flow, until };
}

test("delays have their median and their 95th percentile", () => {
  const delay = { kind: "log-normal", medianMs: 20_000, p95Ms: 45_000 } as const;
  const drawn = Array.from({ length: 20_000 }, (_, ordinal) =>
    drawDelay(delay, randomStream(1, "test", ordinal)),
  );
  drawn.sort((a, b) => a - b);
  expect((drawn[10_000] ?? 0) / 20_000).toBeCloseTo(1, 1);
  expect((drawn[19_000] ?? 0) / 45_000).toBeCloseTo(1, 1);
  const list = { kind: "list", ms: [1, 2, 3] } as const;
  const of = new Set(
    Array.from({ length: 50 }, (_, ordinal) => drawDelay(list, randomStream(1, "list", ordinal))),
  );
  expect([...of].sort((a, b) => a - b)).toEqual([1, 2, 3]);
});

test("a stream depends on the seed, the purpose and the ordinal", () => {
  const first = randomStream(1, "ready", 3).uniform();
  expect(randomStream(1, "ready", 3).uniform()).toBe(first);
  const others = [randomStream(2, "ready", 3), randomStream(1, "pull", 3), randomStream(1, "ready", 4)];
  for (const other of others) expect(other.uniform()).not.toBe(first);
});

test("a pod is scheduled, pulled, run, and then Ready", () => {
  const start = {
    schedule: { kind: "fixed", ms: 1000 },
    pull: { kind: "fixed", ms: 4000 },
    ready: { kind: "fixed", ms: 20_000 },
  } as const;
  const { pods, flow, until } = podsOf({ start });
  pods.scaleTo(0, 1);
  const seen = [0, 1000, 5000, 25_000].map((atMs) => {
    until(atMs);
    const { status } = pods.objects[0] ?? {};
    return [
      pods.all[0]?.stage,
      status?.phase,
      status?.startTime,
      status?.conditions?.[0]?.status,
      flow.serving,
    ];
  });
  expect(seen).toEqual([
    ["waiting", "Pending", undefined, undefined, 0],
    ["starting", "Pending", "1970-01-01T00:00:01Z", "False", 0],
    ["running", "Running", "1970-01-01T00:00:01Z", "False", 0],
    ["ready", "Running", "1970-01-01T00:00:01Z", "True", 1],
  ]);
});

test("a pod that is deleted serves until it is drained, and counts until it is gone", () => {
  const { pods, flow, until } = podsOf({ terminationMs: 30_000, drainMs: 5000 }, 2);
  pods.scaleTo(0, 1);
  const seen = [0, 4999, 5000, 29_999, 30_000].map((atMs) => {
    until(atMs);
    return [pods.all.length, pods.active, flow.serving];
  });
  expect(seen).toEqual([
    [2, 1, 2],
    [2, 1, 2],
    [2, 1, 1],
    [2, 1, 1],
    [1, 1, 1],
  ]);
});

test("a pod that crashes waits twice as long each time, five minutes at most", () => {
  const { pods, until } = podsOf({ crashesPerHour: 1e9 }, 1);
  until(1);
  expect([pods.crashes, pods.ready]).toEqual([1, 0]);
  // 10, 20, 40, 80, 160, and 300 s from then on.
  until(310_001);
  expect(pods.crashes).toBe(6);
  until(310_001 + 300_002);
  expect(pods.crashes).toBe(7);
});

test("who goes first: without a node, Pending, not Ready, Ready for the shortest time, most restarts, newest", () => {
  const of = (name: string, fields: Partial<SimulatedPod>): SimulatedPod => ({
    ordinal: 0,
    name,
    createdMs: 0,
    stage: "ready",
    startMs: 0,
    readinessMs: 0,
    restarts: 0,
    node: 0,
    deletedMs: undefined,
    isServing: true,
    lives: [],
    object: {},
    ...fields,
  });
  const pods = [
    of("old", { createdMs: 1000, readinessMs: 5000 }),
    of("new", { createdMs: 9000, readinessMs: 5999 }),
    of("restarted", { createdMs: 1000, readinessMs: 5000, restarts: 2 }),
    of("young", { readinessMs: 60_000 }),
    of("crashed", { stage: "crashed" }),
    of("starting", { stage: "starting" }),
    of("waiting", { stage: "waiting", node: undefined }),
  ];
  expect(scaleDownOrder(pods).map(({ name }) => name)).toEqual([
    "waiting",
    "starting",
    "crashed",
    "young",
    "restarted",
    "new",
    "old",
  ]);
});

test("a pod takes of a node what its largest request does", () => {
  const pool = {
    podsPerNode: 10,
    cpu: 4,
    memory: 16,
    initial: 1,
    max: 3,
    provisioning: { kind: "fixed" as const, ms: 1000 },
    removeAfterMs: 5000,
  };
  expect(needOf({ requests: {} }, pool)).toBe(0.1);
  expect(needOf({ requests: { cpu: 2 } }, pool)).toBe(0.5);
  expect(needOf({ requests: { cpu: 2, memory: 12 } }, pool)).toBe(0.75);
  const nodes = createNodes(pool, 1);
  const placed: number[] = [];
  const place = (need: number) => nodes.place(0, need, (node) => placed.push(node));
  expect([place(0.5), place(0.5)]).toEqual([0, 0]);
  place(0.75);
  place(0.75);
  // 1.5 nodes are two.
  expect([nodes.count, nodes.nextMs]).toEqual([1, 1000]);
  nodes.step(1000);
  expect([nodes.count, placed]).toEqual([3, [1, 2]]);
  nodes.free(2000, 2, 0.75);
  expect(nodes.nextMs).toBe(7000);
  nodes.step(7000);
  expect(nodes.count).toBe(2);
});
