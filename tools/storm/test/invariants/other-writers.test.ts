import { expect, test } from "vitest";
import { alwaysOwned } from "../../src/invariants/always-owned.ts";
import { onceAPeriod } from "../../src/invariants/once-a-period.ts";
import { replicasAreKept } from "../../src/invariants/replicas-are-kept.ts";
import { yieldsToForeignOnly } from "../../src/invariants/yields-to-foreign-only.ts";
import { yieldsWhileWritten } from "../../src/invariants/yields-while-written.ts";
import type { CreateInvariant } from "../../src/run/world.ts";
import type { Setup } from "../../src/scenario/scenario.ts";
import { autoscalerRig, hpaWith, orders, scaleOf, scalePath } from "./autoscaler-rig.ts";
import { hpa, invariantRig } from "./rig.ts";

const first = "autoscaler-0";
const resource = "horizontalpodautoscalers.autoscaling";
const statusPath = "/apis/autoscaling/v2/namespaces/team-a/horizontalpodautoscalers/shop/status";

function rigWith(create: CreateInvariant, flags: Setup["flags"] = ["--manage-hpas=all"]) {
  const rig = autoscalerRig(create, { coordination: "leader", flags });
  const { store, observe, pass, decided } = rig;
  const uid = store.create(resource, hpa()).metadata.uid ?? "";
  const input = (spec: object = {}) => {
    const object = hpaWith(spec);
    return { ...object, metadata: { ...object.metadata, uid } };
  };
  return {
    ...rig,
    input,
    /** The other controller begins or ends. */
    controller: (change: "begins" | "ends", manager = "kube-controller-manager", id = 1) =>
      observe({
        kind: "fault",
        change,
        event: {
          id,
          atMs: 0,
          forMs: 600_000,
          kind: "other-controller",
          details: {
            object: "HorizontalPodAutoscaler",
            namespace: "team-a",
            name: "shop",
            manager,
            everyMs: 15_000,
          },
        },
      }),
    /** It writes once. */
    writes: (manager = "kube-controller-manager") =>
      rig.written(manager, { resource, object: hpa(), previous: hpa() }),
    async evaluations(count: number, mode: "Active" | "Shadow", more: object = {}) {
      let message: string | undefined;
      for (let n = 0; n < count && message === undefined; n += 1) {
        await pass(15);
        ({ message } = decided(first, { hpa: input(), mode, samples: orders(20), ...more }));
      }
      return message;
    },
  };
}

test("an object that another controller writes is left to it, and taken over once that one is silent", async () => {
  const { controller, evaluations, pass, sent, writes } = rigWith(yieldsWhileWritten);
  await pass(600);
  controller("begins");
  for (let n = 0; n < 12; n += 1) {
    writes();
    expect(await evaluations(1, n < 2 ? "Active" : "Shadow")).toBeUndefined();
  }
  writes();
  expect(sent(first, "PUT", statusPath, {})).toContain(
    "writes the status of team-a/shop, which kube-controller-manager has written",
  );
  expect(await evaluations(1, "Active")).toContain("decides to scale by team-a/shop");
  controller("ends");
  expect(await evaluations(6, "Shadow")).toBeUndefined();
  expect(await evaluations(6, "Active")).toBeUndefined();
  expect(await evaluations(20, "Shadow")).toContain("still leaves team-a/shop to kube-controller-manager");
});

test("of two controllers with one name, the one that goes on writing still has the object when the other ends", async () => {
  const name = "plimsoll-autoscaler";
  const { controller, evaluations, pass, writes } = rigWith(yieldsWhileWritten);
  await pass(600);
  controller("begins", name, 1);
  controller("begins", name, 2);
  controller("ends", name, 2);
  for (let n = 0; n < 40; n += 1) {
    writes(name);
    expect(await evaluations(1, "Shadow")).toBeUndefined();
  }
  controller("ends", name, 1);
  expect(await evaluations(40, "Shadow")).toContain("still leaves team-a/shop to plimsoll-autoscaler");
});

test("a process of the installation is no other one, unless there is another one", () => {
  const line = (by: string) =>
    ({
      kind: "logged",
      process: first,
      message: "returned to shadow: foreign writer",
      fields: { hpa: "team-a/shop", by },
    }) as const;
  const { controller, observe } = rigWith(yieldsToForeignOnly);
  expect(observe(line("another plimsoll-autoscaler"))).toContain("which is a part of it");
  expect(observe(line("kube-controller-manager"))).toBeUndefined();
  controller("begins", "plimsoll-autoscaler");
  expect(observe(line("another plimsoll-autoscaler"))).toBeUndefined();
});

test("a target below its minimum is written within two periods, however often that is undone", async () => {
  const below = { hpa: undefined, scale: scaleOf(1) };
  const { evaluations, input, pass, sent } = rigWith(replicasAreKept);
  await pass(600);
  const spec = input({ minReplicas: 3 });
  for (let n = 0; n < 5; n += 1) {
    expect(await evaluations(2, "Active", { ...below, hpa: spec })).toBeUndefined();
    sent(first, "PUT", scalePath, { spec: { replicas: 3 } });
  }
  expect(await evaluations(6, "Active", { ...below, hpa: spec })).toContain("below its minimum");
});

test("replicas that are wanted all the time are written within the longest backoff", async () => {
  const { evaluations, pass, sent } = rigWith(replicasAreKept);
  await pass(600);
  const more = { samples: orders(90) };
  expect(await evaluations(20, "Active", more)).toBeUndefined();
  sent(first, "PUT", scalePath, { spec: { replicas: 4 } });
  expect(await evaluations(20, "Active", more)).toBeUndefined();
  expect(await evaluations(8, "Active", more)).toContain("has not written the replicas that it wants");
});

test("an object is evaluated once a period, unless it was edited", async () => {
  const rig = rigWith(onceAPeriod);
  const { decided, evaluations, input, pass, written } = rig;
  await pass(600);
  expect(await evaluations(4, "Active")).toBeUndefined();
  await pass(5);
  written("user", { resource, object: { ...hpa(), kind: "HorizontalPodAutoscaler" } });
  expect(decided(first, { hpa: input(), mode: "Active" }).message).toBeUndefined();
  await pass(10);
  expect(decided(first, { hpa: input(), mode: "Active" }).message).toBeUndefined();
  expect(await evaluations(2, "Active")).toBeUndefined();
  await pass(0.2);
  expect(decided(first, { hpa: input(), mode: "Active" }).message).toContain(
    "evaluates team-a/shop again after 200 ms",
  );
});

test.each([
  ["shop", /^$/],
  ["cart", /evaluates team-a\/shop again after 200 ms/],
])("schedules of a WorkloadAutoscaler are a reason for the HPA that they move: %s", async (name, message) => {
  const { store, decided, evaluations, input, pass } = rigWith(onceAPeriod);
  store.create("workloadautoscalers.autoscaling.plimsoll.dev", {
    kind: "WorkloadAutoscaler",
    metadata: { name: "bounds", namespace: "team-a" },
    spec: { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name }, schedules: [] },
  });
  await pass(600);
  expect(await evaluations(2, "Active")).toBeUndefined();
  await pass(0.2);
  const { message: found = "" } = decided(first, { hpa: input(), mode: "Active" });
  expect(found).toMatch(message);
});

test("a decision that waited for a metric in vain began a request earlier", async () => {
  const { decided, evaluations, input, pass } = rigWith(onceAPeriod);
  await pass(600);
  const more = { samples: [{ error: "no response" }] };
  expect(await evaluations(3, "Active", more)).toBeUndefined();
  await pass(5);
  const evaluated = () => decided(first, { hpa: input(), mode: "Active", ...more }).message;
  expect(evaluated()).toBeUndefined();
  await pass(1);
  expect(evaluated()).toContain("evaluates team-a/shop again after 1000 ms");
});

test("an object has an owner again once leases have expired", async () => {
  const { logged, owned, pass } = invariantRig(alwaysOwned);
  owned.set(first, ["team-a/shop"]);
  for (let n = 0; n < 5; n += 1) {
    await pass(1);
    expect(logged(first, "a line")).toBeUndefined();
  }
  owned.set(first, []);
  await pass(0.5);
  expect(logged(first, "a line")).toBeUndefined();
  await pass(0.5);
  expect(logged(first, "a line")).toContain("no process has owned team-a/shop");
});
