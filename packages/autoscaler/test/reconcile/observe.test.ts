import { shareForPass } from "@plimsoll/observe";
import { expect, test } from "vitest";
import type { FieldWriter } from "../../src/objects/field-writer.ts";
import { type ScalingObject, wlaOf } from "../../src/objects/scaling-object.ts";
import type { CurrentObject } from "../../src/reconcile/current-object.ts";
import { type ObserveDeps, observe, observedObject } from "../../src/reconcile/observe.ts";
import { createStates } from "../../src/reconcile/remember/state.ts";
import { hpaObject, nowMs, wlaObject } from "./observations.ts";

const key = "default/shop";
const podsMetric = { type: "Pods", pods: { metric: { name: "hits" }, target: { averageValue: "10" } } };
const hpa = hpaObject({ spec: { metrics: [podsMetric] } });
const byQueue = hpaObject();
const moving = hpaObject({ spec: { metrics: [podsMetric], behavior: {} } });
const info = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true };
const scale = {
  metadata: { namespace: "default", name: "shop" },
  spec: { replicas: 4 },
  status: { replicas: 3, selector: "app=shop" },
};
const writer: FieldWriter = { manager: "kubectl", at: undefined };
const pods = [{ metadata: { name: "shop-0" } }];
const samples = { pods: [] };
const theirs = ["default/a", "default/wla:b"];

interface Seen {
  /** The object each time that it is looked at; the last one from then on, undefined: gone. */
  readonly looks?: readonly (Partial<CurrentObject> | undefined)[];
  readonly state?: Partial<CurrentObject["state"]>;
  readonly deps?: Partial<ObserveDeps>;
  readonly isLast?: boolean;
  /** Objects that select the same pods. */
  readonly sharing?: readonly string[];
  readonly hasSelector?: boolean;
}

/** Observes an object; also whether the writer of its replicas was read, and who was in conflict with it. */
async function observing({
  looks = [{}],
  state = {},
  deps = {},
  isLast = false,
  sharing = [],
  ...seen
}: Seen) {
  const states = createStates(() => true);
  const first = states.of(key, hpa);
  states.update(first, (now) => ({ ...now, ...state }));
  const reads: string[] = [];
  let conflicting: readonly string[] = [];
  let look = 0;
  const all = {
    readCurrent() {
      const change = looks[Math.min(look++, looks.length - 1)];
      if (change === undefined) return undefined;
      const stored = change.object ?? hpa;
      return {
        stored,
        object: stored,
        mode: "active",
        state: states.of(key, hpa),
        isReclaimed: false,
        ...change,
      };
    },
    states,
    gather: {
      mapper: { byKind: () => Promise.resolve([info]) },
      targets: { scaleOf: () => scale },
      clock: { nowMs: () => nowMs },
      metrics: { fetch: () => Promise.resolve(samples) },
      pods: {
        drop: () => undefined,
        select: () => pods,
        batchedSelectors: () => 0,
        ambiguousWith(_: string, __: string, conflicts: (key: string) => boolean) {
          conflicting = theirs.filter(conflicts);
          return sharing;
        },
      },
      selectorOf: () => (seen.hasSelector === false ? undefined : { toString: () => "app=shop" }),
      isThere: () => true,
      options: {},
    },
    scaleTargets: { conflictingWith: () => [], has: (one: string) => one === "default/a" },
    readReplicasWriter: (_: unknown, namespace: string) => Promise.resolve((reads.push(namespace), writer)),
    podsKnown: { problem: () => undefined, unread: () => undefined },
    clock: { nowMs: () => nowMs, steadyMs: () => 77, after: () => () => undefined },
    periodMs: 15_000,
    signal: new AbortController().signal,
    ...deps,
  };
  const observation = await observe(key, { share: shareForPass(), isLast }, all as unknown as ObserveDeps);
  return { observation, reads, conflicting, states, first };
}

test("an observation has the object, its target, pods and samples, and is remembered as the last", async () => {
  const { observation, states } = await observing({ looks: [{}, { isReclaimed: true }] });
  expect(observation).toEqual({
    key,
    startedMs: nowMs,
    nowMs,
    stored: hpa,
    object: hpa,
    state: { ...states.of(key, hpa), decidedAtMs: 77 },
    isReclaimed: true,
    scale: { ok: true, specReplicas: 4, statusReplicas: 3, selector: "app=shop" },
    target: { info, scale },
    pods: { ok: true, pods },
    unreadPod: undefined,
    samples: [samples],
    tookMs: [0],
    ambiguousWith: [],
    conflictingObjects: [],
    replicasWriter: undefined,
    retryAfterMs: undefined,
    isLastPass: false,
  });
  expect(states.of(key, hpa).decidedAtMs).toBe(77);
});

const aborted = AbortSignal.abort();
const later = { state: createStates(() => true).of(key, hpa) };

test.each<[what: string, seen: Seen]>([
  ["is gone", { looks: [undefined] }],
  ["goes meanwhile", { looks: [{}, undefined] }],
  ["comes to another process and back", { looks: [{}, later] }],
  ["is observed by a process that stops", { deps: { signal: aborted } }],
])("an object that %s is not evaluated", async (_, seen) => {
  expect((await observing(seen)).observation).toBe("gone");
});

const renamed = hpaObject({ spec: { metrics: [podsMetric], maxReplicas: 9 } });

test.each<[what: string, looks: Seen["looks"], used: ScalingObject | undefined]>([
  ["other bounds", [{ object: hpa }, { object: renamed }], renamed],
  ["other metrics", [{ object: hpa }, { object: byQueue }], undefined],
  [
    "an equal specification",
    [{ object: hpa }, { object: hpaObject({ spec: { metrics: [podsMetric] } }) }],
    hpa,
  ],
  ["mode shadow", [{}, { mode: "shadow" }], undefined],
  ["mode active", [{ mode: "shadow" }, {}], undefined],
])("an object that has %s by the end is observed once more, unless that was read", async (_, looks, used) => {
  const { observation } = await observing({ looks: looks ?? [] });
  expect(typeof observation === "string" ? observation : observation.object).toEqual(used ?? "edited");
  // In the last pass what was read is decided by the specification that it was read for.
  const last = await observing({ looks: looks ?? [], isLast: true });
  expect(last.observation).toMatchObject({ stored: used ?? hpa, object: used ?? hpa, isLastPass: true });
});

const overwritten = { lastScale: { replicas: 6, atMs: nowMs - 1000 } };

test.each<[what: string, seen: Seen, isRead: boolean]>([
  ["an object that is managed as before", { state: { isManaged: true } }, false],
  ["an object that is new, whose policies count changes", { looks: [{ object: moving }] }, true],
  ["a known one with such policies", { looks: [{ object: moving }], state: { isManaged: true } }, false],
  ["a new one without policies", {}, false],
  ["a new one with null for them", { looks: [{ object: hpaObject({ spec: { behavior: null } }) }] }, false],
  ["replicas that replaced ours", { state: overwritten }, true],
  [
    "replicas that replaced ours long ago",
    { state: { lastScale: { replicas: 6, atMs: nowMs - 60_001 } } },
    false,
  ],
  [
    "the same with a longer period",
    { state: { lastScale: { replicas: 6, atMs: nowMs - 60_001 } }, deps: { periodMs: 60_000 } },
    true,
  ],
  ["the replicas that we wrote", { state: { lastScale: { replicas: 4, atMs: nowMs } } }, false],
  ["replicas in shadow", { looks: [{ mode: "shadow" }], state: overwritten }, false],
  ["an object that is gone by now", { looks: [{}, undefined], state: overwritten }, false],
])("who wrote the replicas is read only where it matters: %s", async (_, seen, isRead) => {
  const { observation, reads } = await observing(seen);
  expect(reads).toEqual(isRead ? ["default"] : []);
  const found = typeof observation === "string" ? undefined : observation.replicasWriter;
  expect(found).toBe(isRead ? writer : undefined);
});

const wla = (spec: object) => wlaObject({ spec: { metrics: [podsMetric], ...spec } });

test("the period of the object itself says how long replicas may be undone", async () => {
  const object = wla({ tuning: { syncPeriodSeconds: 60 } });
  const state = { lastScale: { replicas: 6, atMs: nowMs - 60_001 } };
  expect((await observing({ looks: [{ object }], state })).reads).toEqual(["default"]);
});

test.each<[what: string, seen: Seen, conflicting: readonly string[]]>([
  ["an object that we manage", {}, ["default/a"]],
  ["an HPA in shadow", { looks: [{ mode: "shadow" }] }, ["default/a"]],
  ["a WorkloadAutoscaler in shadow", { looks: [{ mode: "shadow", object: wla({ mode: "Shadow" }) }] }, []],
])(
  "objects of the same pods conflict with %s as they do for its controller",
  async (_, seen, conflicting) => {
    const has = (one: string) => one === "default/a";
    const named = { conflictingWith: () => [key, "default/b"], has };
    expect((await observing(seen)).conflicting).toEqual(conflicting);
    const { observation } = await observing({ ...seen, deps: { scaleTargets: named } });
    expect(observation).toMatchObject({
      conflictingObjects: [key, "default/b"],
      ambiguousWith: seen.looks === undefined ? ["default/b", key] : [],
    });
  },
);

const unlisted: ObserveDeps["podsKnown"] = {
  problem: () => "no list of pods",
  unread: () => "the pod shop-1",
};
const refused = { ok: false, message: "no list of pods" };
const bySchedule = (isWithoutMetrics: boolean) => {
  const object = wla({});
  return { object: { ...object, wla: { ...wlaOf(object), scheduled: { isWithoutMetrics } } } as never };
};

test.each<[what: string, seen: Seen, pods: object, unreadPod: string | undefined]>([
  ["what counts pods", {}, refused, "the pod shop-1"],
  ["no object without a selector", { hasSelector: false }, { ok: true, pods: [] }, "the pod shop-1"],
  ["no object that goes by a value alone", { looks: [{ object: byQueue }] }, { ok: true, pods }, undefined],
  [
    "no object outside of its bounds",
    { looks: [{ object: hpaObject({ spec: { metrics: [podsMetric], maxReplicas: 2 } }) }] },
    refused,
    undefined,
  ],
  ["no object that schedules set", { looks: [bySchedule(true)] }, refused, undefined],
])("pods that cannot be read stop %s", async (_, seen, listed, unreadPod) => {
  const { observation } = await observing({ ...seen, deps: { podsKnown: unlisted } });
  expect(observation).toMatchObject({ pods: listed });
  expect(observation).toHaveProperty("unreadPod", unreadPod);
});

test("an object is observed with its status, which says whether it was scaled to zero", () => {
  const { spec } = hpa;
  const seen = { spec, key, namespace: "default", syncPeriodMs: undefined, isWithoutMetrics: false };
  const status = { desiredReplicas: 0 };
  expect(observedObject(hpa)).toStrictEqual(seen);
  expect(observedObject({ ...hpa, status })).toStrictEqual({ ...seen, status });
});

test("metrics are not read for an object whose schedules set its replicas", async () => {
  const { observation } = await observing({ looks: [bySchedule(true)] });
  expect(observation).toMatchObject({ samples: [{ error: "not requested" }] });
  expect((await observing({ looks: [bySchedule(false)] })).observation).toMatchObject({ samples: [samples] });
});
