import { defaultOptions } from "@plimsoll/core";
import { expect, test } from "vitest";
import { ambiguousNotScaled } from "../../src/invariants/ambiguous-not-scaled.ts";
import { cronNotTooLate, cronOnce } from "../../src/invariants/cron-runs.ts";
import { editsAreHeeded } from "../../src/invariants/edits-are-heeded.ts";
import { heldIsItsOwn } from "../../src/invariants/held-is-its-own.ts";
import { keptWindow } from "../../src/invariants/kept-window.ts";
import { noBlindWrite } from "../../src/invariants/no-blind-write.ts";
import { noMemoryOfFormer } from "../../src/invariants/no-memory-of-former.ts";
import { oneOwner } from "../../src/invariants/one-owner.ts";
import { oneReport } from "../../src/invariants/one-report.ts";
import { restoredBounds } from "../../src/invariants/restored-bounds.ts";
import { staleSpecification } from "../../src/invariants/stale-specification.ts";
import { yieldsToForeignOnly } from "../../src/invariants/yields-to-foreign-only.ts";
import { zeroIsLeft } from "../../src/invariants/zero-is-left.ts";
import { external, hpa, invariantRig } from "./rig.ts";

const [first, second] = ["autoscaler-0", "autoscaler-1"] as const;

test("two owners of an object are noticed, but not right after a restore", async () => {
  const { owned, logged, restore, pass } = invariantRig(oneOwner);
  owned.set(first, ["team-a/shop"]);
  expect(logged(first, "objects gained")).toBeUndefined();
  owned.set(second, ["team-a/shop"]);
  expect(logged(second, "objects gained")).toBe("team-a/shop is owned by autoscaler-0 and autoscaler-1");
  restore();
  expect(logged(second, "objects gained")).toBeUndefined();
  await pass(2);
  expect(logged(second, "objects gained")).toContain("is owned by");
});

test("a lease that was given to another process by hand has two owners for a while; a removed one has not", async () => {
  const { owned, written, pass } = invariantRig(oneOwner);
  for (const name of [first, second]) owned.set(name, ["team-a/shop"]);
  const lease = { resource: "leases.coordination.k8s.io" } as const;
  await pass(2);
  expect(written("user", { ...lease, type: "DELETED" })).toContain("is owned by");
  expect(written("user", lease)).toBeUndefined();
});

test("a lease of a shard that was given to another process by hand has no second owner", () => {
  const { owned, written } = invariantRig(oneOwner, "shards");
  for (const name of [first, second]) owned.set(name, ["team-a/shop"]);
  const lease = { resource: "leases.coordination.k8s.io" } as const;
  expect(written("user", lease)).toContain("is owned by");
});

test("a former owner that still serves decisions is noticed", async () => {
  const { decided, owned, served, pass } = invariantRig(oneReport);
  owned.set(first, ["team-a/shop"]);
  expect(decided(first)).toBeUndefined();
  await pass(2);
  expect(decided(first)).toBeUndefined();
  served.set(second, ["shop"]);
  await pass(2);
  expect(decided(first)).toBe("autoscaler-1 serves decisions on team-a/shop, which autoscaler-0 owns");
});

test("a reading that was held is one of the metric itself", () => {
  const { decided } = invariantRig(heldIsItsOwn);
  const both = { hpa: hpaWith("orders", "visits") };
  const policies = [hold, hold];
  decided(first, { ...both, samples: [values("40"), values("10")], failurePolicies: policies });
  const held = {
    orders: { samples: values("40"), atMs: Date.parse("2026-06-01T11:59:00Z") },
    visits: { samples: values("10"), atMs: Date.parse("2026-06-01T11:59:00Z") },
  };
  const failed = { error: "no" };
  const of = (name: "orders" | "visits", from: "orders" | "visits") =>
    decided(
      first,
      { hpa: hpaWith(name), samples: [failed], failurePolicies: [hold] },
      { ...noMemory, lastGoodSamples: { [identityOf(name)]: held[from] } },
    );
  expect(of("visits", "visits")).toBeUndefined();
  expect(of("visits", "orders")).toBe("autoscaler-0 holds for metric 0 of shop what was never read of it");
});

test("a former specification is noticed after some minutes of calm", async () => {
  const { decided, store, written, pass } = invariantRig(staleSpecification);
  const { uid = "" } = store.create("horizontalpodautoscalers.autoscaling", hpa()).metadata;
  const input = (spec: object) => ({ hpa: { ...hpa(spec), metadata: { ...hpa().metadata, uid } } as never });
  written("user", { object: hpa({ maxReplicas: 4 }), previous: hpa() });
  expect(decided(first, input({ maxReplicas: 4 }))).toBeUndefined();
  await pass(8);
  expect(decided(first, input({}))).toBeUndefined();
  expect(decided(first, input({ maxReplicas: 4 }))).toContain("decides on a former specification");
  expect(decided(first)).toContain("which is gone");
  // An evaluation that is under way when its object is deleted ends.
  written("user", { type: "DELETED", object: hpa(), previous: hpa() });
  expect(decided(first)).toBeUndefined();
  await pass(7);
  expect(decided(first)).toContain("which is gone");
});

test("a part of the program is no foreign writer", () => {
  const { logged } = invariantRig(yieldsToForeignOnly);
  const yielded = (by: string) =>
    logged(first, "returned to shadow: foreign writer", { hpa: "team-a/shop", by });
  const overwritten = (manager: string) =>
    logged(first, "replicas overwritten by another client", { hpa: "team-a/shop", manager });
  for (const found of [yielded, overwritten]) {
    expect(found("kubectl")).toBeUndefined();
    expect(found("plimsoll-cronhpa")).toContain("which is a part of it");
  }
});

test("what is remembered of an object begins with its first decision", () => {
  const { decided } = invariantRig(noMemoryOfFormer);
  const memory = { ...noMemory, recommendations: [{ replicas: 3, atMs: 0 }] };
  expect(decided(first)).toBeUndefined();
  expect(decided(first, {}, memory)).toBeUndefined();
  const next = { hpa: { ...hpa(), metadata: { ...hpa().metadata, uid: "u2" } } as never };
  expect(decided(first, next, memory)).toContain("remembers of team-a/shop");
});

test("a zero of its own is never taken for that of a person", () => {
  const { decided, logged, owned, store } = invariantRig(zeroIsLeft);
  const resource = "horizontalpodautoscalers.autoscaling";
  const zero = { ok: true, specReplicas: 0, statusReplicas: 0, selector: "app=shop" } as const;
  const stored = store.create(resource, hpa());
  const atZero = { scale: zero, hpa: stored as never };
  owned.set(first, ["team-a/shop"]);
  expect(decided(first, atZero)).toBeUndefined();
  logged(first, "scaled", { hpa: "team-a/shop", to: 0 });
  expect(decided(first, atZero)).toBe(
    "autoscaler-0 scaled team-a/shop to zero, and takes that for the work of a person",
  );
  // By the rules of 1.35 a minimum above zero, written since, switches the target off.
  const by135 = { options: { ...defaultOptions, semantics: "1.35" } } as const;
  expect(decided(first, { ...atZero, ...by135 })).toBeUndefined();
  logged(first, "scaled", { hpa: "team-a/shop", to: 0 });
  const fromZero = { ...stored, spec: hpa({ minReplicas: 0 }).spec } as never;
  expect(decided(first, { ...atZero, ...by135, hpa: fromZero })).toBeUndefined();
  expect(decided(first, atZero)).toContain("takes that for the work of a person");
  logged(first, "objects lost");
  expect(decided(first, atZero)).toBeUndefined();
  logged(first, "scaled", { hpa: "team-a/shop", to: 0 });
  // Its watch is late, but a write of the status said that it is gone.
  store.delete(resource, "team-a", "shop");
  expect(decided(first, atZero)).toBeUndefined();
});

test("each run of a job is made once by a process, and none too late", async () => {
  const once = invariantRig(cronOnce);
  const run = { cronHpa: "team-a/jobs", job: "up", state: "Succeed", due: "2026-06-01T11:59:00.000Z" };
  expect(once.logged(first, "scheduled run", run)).toBeUndefined();
  expect(once.logged(second, "scheduled run", run)).toBeUndefined();
  expect(once.logged(first, "scheduled run", run)).toContain("made a run twice: team-a/jobs up");
  // A restored etcd has a former object of this name, whose status does not know of the run.
  const jobs = { metadata: { namespace: "team-a", name: "jobs" }, spec: {} };
  once.store.create("cronhorizontalpodautoscalers.autoscaling.alibabacloud.com", jobs);
  expect(once.logged(first, "scheduled run", run)).toBeUndefined();
  expect(once.logged(first, "scheduled run", run)).toContain("made a run twice: team-a/jobs up");
  const late = invariantRig(cronNotTooLate);
  expect(late.logged(first, "scheduled run", run)).toBeUndefined();
  await late.pass(70);
  expect(late.logged(first, "scheduled run", run)).toContain("was due 71 minutes ago");
  // It waited for its turn while the clock was set.
  late.setClock(11);
  expect(late.logged(first, "scheduled run", run)).toBeUndefined();
  await late.pass(4);
  expect(late.logged(first, "scheduled run", run)).toContain("was due 86 minutes ago");
  const message =
    "cron hpa job up executed successfully. skip scaling activity,because of excludeDate (* * * 25 12 *).";
  expect(late.logged(first, "scheduled run", { ...run, message })).toBeUndefined();
});

test("a late write that replaces one that its sender did not know of is noticed", async () => {
  const { written, pass, nowMs } = invariantRig(noBlindWrite);
  const status = (currentReplicas: number) => ({
    object: { ...hpa(), status: { currentReplicas } },
    previous: hpa(),
  });
  const before = nowMs();
  await pass(1);
  expect(written(first, status(2), nowMs())).toBeUndefined();
  expect(written(second, status(3), nowMs())).toBeUndefined();
  expect(written(first, status(2), before)).toContain("without having seen what autoscaler-1 wrote");
});

test("a write that was on its way while etcd was restored may meet a version that is used again", async () => {
  const { written, pass, restore, nowMs } = invariantRig(noBlindWrite);
  const status = { object: { ...hpa(), status: { currentReplicas: 2 } }, previous: hpa() };
  const before = nowMs();
  await pass(1);
  restore();
  const after = nowMs() + 1;
  await pass(1);
  expect(written(second, status, nowMs())).toBeUndefined();
  expect(written(first, status, before)).toBeUndefined();
  expect(written(second, status, nowMs())).toBeUndefined();
  expect(written(first, status, after)).toContain("without having seen what autoscaler-1 wrote");
});

test("an HPA whose pods another one selects is known to be ambiguous", async () => {
  const { decided, store, pass } = invariantRig(ambiguousNotScaled);
  const named = (name: string) => ({ name, namespace: "team-a" });
  const selector = { matchLabels: { app: "shop" } };
  for (const name of ["shop", "other"]) {
    const target = { scaleTargetRef: { kind: "Deployment", name } };
    store.create("horizontalpodautoscalers.autoscaling", { ...hpa(target), metadata: named(name) });
    store.create("deployments.apps", { metadata: named(name), spec: { replicas: 1, selector } });
  }
  store.create("pods", { metadata: { ...named("pod"), labels: { app: "shop" } } });
  expect(decided(first)).toBeUndefined();
  await pass(5);
  expect(decided(first)).toContain("and team-a/other selects its pods too");
  expect(decided(first, { ambiguousWith: ["team-a/other", "team-a/shop"] })).toBeUndefined();
});

test("a process that takes over does not scale down within the window", async () => {
  const { decided, pass } = invariantRig(keptWindow);
  const low = { samples: [values("10")], scale: replicas(5) };
  const known = { ...noMemory, recommendations: [{ replicas: 1, atMs: 0 }] };
  expect(decided(first, low)).toBeUndefined();
  expect(decided(first, low, known)).toBe(
    "autoscaler-0 scales shop down to 1, 0 ms after it found 5 replicas",
  );
  await pass(6);
  expect(decided(first, low, known)).toBeUndefined();
});

test("a schedule that ends restores what its user wrote", () => {
  const { written } = invariantRig(restoredBounds);
  const moved = (spec: object, text = "saved") => {
    const object = hpa(spec);
    const annotations = { "autoscaling.plimsoll.dev/schedule-bounds": text };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  const own = hpa({ minReplicas: 2 });
  written("user", { type: "ADDED", object: own });
  expect(written(first, { object: moved({ minReplicas: 5 }), previous: own })).toBeUndefined();
  written("user", { object: moved({ minReplicas: 3 }), previous: moved({ minReplicas: 5 }) });
  expect(written(first, { object: own, previous: moved({ minReplicas: 3 }) })).toBe(
    "autoscaler-0 restored minReplicas 2 of team-a/shop, whose user wrote 3",
  );
  expect(
    written(first, { object: hpa({ minReplicas: 3 }), previous: moved({ minReplicas: 3 }) }),
  ).toBeUndefined();
});

test("an edit that a process received withdraws its decision", () => {
  const { decided, watched, listed, written, sent } = invariantRig(editsAreHeeded);
  const high = { samples: [values("90")] };
  watched(first, 4);
  decided(first, high);
  expect(sent(first)).toBeUndefined();
  written("user", { object: hpa({ maxReplicas: 3 }), previous: hpa(), version: 5 });
  expect(sent(first)).toBeUndefined();
  // Neither shows the object, nor says that it was seen.
  listed(first, 5, { limit: "1" }, "token");
  listed(first, 5, { limit: "500" }, "token");
  expect(sent(first)).toBeUndefined();
  watched(first, 5);
  expect(sent(first)).toBe(
    "autoscaler-0 scales team-a/Deployment/shop although it received an edit after its decision",
  );
  decided(first, high);
  expect(sent(first)).toBeUndefined();
  // An edit that was put back leaves the decision as it was.
  written("user", { object: hpa(), previous: hpa({ maxReplicas: 3 }), version: 6 });
  written("user", { object: hpa({ maxReplicas: 3 }), previous: hpa(), version: 7 });
  watched(first, 6);
  expect(sent(first)).toContain("although it received an edit");
  watched(first, 7);
  expect(sent(first)).toBeUndefined();
  written("user", { object: hpa({ maxReplicas: 4 }), previous: hpa({ maxReplicas: 3 }), version: 8 });
  listed(first, 8, { limit: "500", continue: "token" });
  expect(sent(first)).toContain("although it received an edit");
});

function replicas(count: number) {
  return { ok: true, specReplicas: count, statusReplicas: count, selector: "app=shop" } as const;
}

const hold = { policy: "HoldLast", forSeconds: 600 } as const;
const noMemory = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

function values(value: string) {
  return { values: [{ value }] };
}

function hpaWith(...names: readonly string[]) {
  return hpa({ metrics: names.map(external) }) as never;
}

function identityOf(name: string): string {
  return JSON.stringify(["External", name, null, null, null]);
}
