import type { LoggedDecision } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import type { Applied } from "../../src/reconcile/act/applied.ts";
import type { Contest, Yielded } from "../../src/reconcile/conflicts/conflict.ts";
import type { Plan } from "../../src/reconcile/evaluate/plan.ts";
import type { ObjectState } from "../../src/reconcile/remember/state.ts";
import { report } from "../../src/reconcile/report.ts";
import { emptyState, hpaObject, nowMs, observed, planned, wlaObject } from "./observations.ts";

const hpa = "default/shop";

interface Changes {
  readonly plan?: Plan;
  readonly applied?: Partial<Applied>;
  readonly before?: Partial<ObjectState>;
  readonly after?: Partial<ObjectState>;
}

/** What each observer gets of an evaluation. */
function reported({ plan = planned(observed(4)), applied, before, after }: Changes) {
  const lines: (readonly [level: string, message: string, fields: object])[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push([level, message, fields]);
  const logged: LoggedDecision[] = [];
  const made: object[] = [];
  const recorded: unknown[] = [];
  const counted: string[] = [];
  const evaluated: unknown[] = [];
  const compared: unknown[] = [];
  const carriedOut: Applied = {
    outcome: plan.outcome,
    result: plan.result,
    scaleFailure: plan.failure,
    scaledAtMs: undefined,
    retryAfterMs: undefined,
    failure: undefined,
    ...applied,
  };
  report(
    {
      plan,
      applied: carriedOut,
      before: { ...emptyState, ...before },
      after: { ...emptyState, ...after },
      tookMs: 12,
      skipMs: 0,
    },
    {
      decisions: {
        add(_, one, from) {
          logged.push(one);
          made.push(from);
        },
      },
      records: { add: (one) => void recorded.push(one) },
      agreement: {
        decided: (key, one) => void compared.push([key, one]),
        verdictOf: () => "differ" as never,
      },
      telemetry: {
        evaluated: (decision, one) => void evaluated.push({ ...one, decision }),
        foreignWriter: (what) => void counted.push(what),
      },
      log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    },
  );
  return { lines, logged, made, recorded, counted, evaluated, compared };
}

const yielded: Yielded = {
  by: "keda",
  sinceMs: nowMs - 30_000,
  lastMs: nowMs - 15_000,
  count: 2,
  periodMs: 15_000,
  seen: undefined,
  reclaim: undefined,
};
const contest: Contest = {
  by: "helm",
  sinceMs: nowMs - 60_000,
  lastMs: nowMs - 1000,
  count: 3,
  highest: 7,
  nextWriteMs: nowMs + 20_000,
  quietMs: nowMs + 90_000,
};
const overwritten = { wrote: 6, found: 4, manager: "helm" };
const plan = planned(observed(4));
const conflicting = (change: Partial<Plan["conflict"]>): Plan => ({
  ...plan,
  conflict: { ...plan.conflict, ...change },
});
const shadow = (wanted: number) => planned(observed(wanted), { manageHpas: "none" });
const wouldScale = {
  hpa,
  target: "Deployment/shop",
  from: 4,
  to: 6,
  reason: expect.stringContaining("queue"),
  summary: expect.stringMatching(/^[^\n]+$/),
};

test.each<[what: string, change: Changes, lines: ReturnType<typeof reported>["lines"]]>([
  ["nothing new", {}, []],
  [
    "an object that is ours again",
    { plan: planned(observed(4, { isReclaimed: true })) },
    [
      [
        "info",
        "managing the object again: the other controller stopped writing, or the object was reclaimed",
        { hpa },
      ],
    ],
  ],
  [
    "replicas that another client set back once more",
    { plan: conflicting({ contest, overwritten }) },
    [["warn", "replicas overwritten by another client", { hpa, ...overwritten, count: 3 }]],
  ],
  [
    "replicas that a sibling set back",
    { plan: conflicting({ overwritten }) },
    [["warn", "replicas overwritten by another client", { hpa, ...overwritten, count: 1 }]],
  ],
  [
    "a controller that was found",
    { plan: conflicting({ yielded }) },
    [["warn", "returned to shadow: foreign writer", { hpa, by: "keda" }]],
  ],
  ["a controller that is known", { plan: conflicting({ yielded }), before: { yielded } }, []],
  ["a scale in shadow", { plan: shadow(6) }, [["info", "would scale", wouldScale]]],
  ["no scale in shadow", { plan: shadow(4) }, []],
  ["a scale that is made", { plan: planned(observed(6)) }, []],
  [
    "a failure",
    { after: { failure: "no route" } },
    [["warn", "evaluation failed", { hpa, error: "no route" }]],
  ],
  ["the same failure", { before: { failure: "no route" }, after: { failure: "no route" } }, []],
  [
    "another failure",
    { before: { failure: "no route" }, after: { failure: "no quota" } },
    [["warn", "evaluation failed", { hpa, error: "no quota" }]],
  ],
  ["the end of a failure", { before: { failure: "no route" } }, [["info", "evaluation recovered", { hpa }]]],
])("the log has a line about %s", (_, evaluation, lines) => {
  expect(reported(evaluation).lines).toEqual(lines);
});

test.each<[what: string, change: Changes, counted: readonly string[]]>([
  ["nothing", {}, []],
  ["replicas set back", { plan: conflicting({ contest, overwritten }) }, ["scale"]],
  ["a first status", { after: { yielded } }, ["status"]],
  ["one more status", { before: { yielded }, after: { yielded: { ...yielded, count: 3 } } }, ["status"]],
  ["no new status", { before: { yielded }, after: { yielded } }, []],
  ["the end of it", { before: { yielded } }, []],
])("foreign writes are counted: %s", (_, evaluation, counted) => {
  expect(reported(evaluation).counted).toEqual(counted);
});

/** What a decision says of others. */
function contextOf(logged: LoggedDecision): object {
  const names = ["yieldedTo", "otherWriter", "builtIn", "verdict"] as const;
  return Object.fromEntries(names.flatMap((name) => (name in logged ? [[name, logged[name]]] : [])));
}

const other = { since: "2029-12-31T23:59:30.000Z", lastAt: "2029-12-31T23:59:45.000Z", by: "keda", count: 2 };

test.each<[what: string, after: Partial<ObjectState>, context: object]>([
  ["none", {}, {}],
  [
    "who writes the status",
    { yielded, contest },
    { yieldedTo: "keda", otherWriter: { ...other, writes: "status", retryAt: "2030-01-01T00:00:30.000Z" } },
  ],
  [
    "who undoes the replicas",
    { contest },
    {
      otherWriter: {
        by: "helm",
        writes: "replicas",
        count: 3,
        since: "2029-12-31T23:59:00.000Z",
        lastAt: "2029-12-31T23:59:59.000Z",
        retryAt: "2030-01-01T00:00:20.000Z",
      },
    },
  ],
  ["none, when a write has lasted", { contest: { ...contest, quietMs: nowMs } }, {}],
])("a decision names the other writer: %s", (_, after, context) => {
  expect(reported({ after }).logged.map(contextOf)).toStrictEqual([context]);
});

test("a decision is kept and recorded with what it was made from and what became of it", () => {
  const scaled = planned(observed(6));
  const after = { uid: "u1", memory: scaled.decided.memory };
  const { logged, made, recorded } = reported({
    plan: scaled,
    applied: { outcome: "scaled", result: scaled.decided },
    after,
  });
  expect(logged).toEqual([
    {
      resource: "horizontalpodautoscalers",
      namespace: "default",
      name: "shop",
      uid: "u1",
      at: new Date(nowMs).toISOString(),
      mode: "active",
      applied: "scaled",
      decision: scaled.decided.decision,
    },
  ]);
  expect(made).toEqual([
    {
      input: scaled.input,
      memory: scaled.memory,
      result: scaled.decided,
      after: scaled.decided.memory,
      applied: { outcome: "scaled" },
    },
  ]);
  expect(recorded).toEqual(made);
});

test("a decision that turned out otherwise is kept as both, without the memory of the one that was meant", () => {
  const scaleFailure = { message: "no", isUncertain: true };
  const wla = planned(observed(6, { object: wlaObject() }));
  const after = { memory: wla.result.memory };
  const applied = { outcome: "scale-failed", scaleFailure } as const;
  const { logged, made } = reported({ plan: wla, applied, after });
  expect(made).toMatchObject([
    { applied: { outcome: "scale-failed", ...scaleFailure }, after: undefined, result: wla.decided },
  ]);
  expect(logged).toMatchObject([{ resource: "workloadautoscalers", decision: wla.result.decision }]);
});

test.each(["fenced", "moved"] as const)("a decision that was %s is not kept", (outcome) => {
  const { made, recorded } = reported({ applied: { outcome } });
  expect([made, recorded]).toEqual([[], []]);
});

const status = {
  currentReplicas: 4,
  desiredReplicas: 5,
  conditions: [{ type: "AbleToScale", status: "True" }],
};
const builtIn = { currentReplicas: 4, desiredReplicas: 5, lastScaleTime: undefined };

test("in shadow an HPA is compared with what its controller decided", () => {
  const object = hpaObject({ status });
  const watched = planned(observed(6, { object }), { manageHpas: "none" });
  const { compared, logged, evaluated } = reported({ plan: watched });
  const { decision } = watched.result;
  expect(compared).toEqual([[hpa, { decision, status: object.status, nowMs }]]);
  expect(logged).toMatchObject([{ builtIn, verdict: "differ" }]);
  expect(evaluated).toMatchObject([{ hpa: object, mode: "shadow", builtIn }]);
});

test.each<[what: string, plan: Plan]>([
  ["an HPA that we manage", planned(observed(6, { object: hpaObject({ status }) }))],
  ["an HPA without a status", shadow(6)],
  ["a WorkloadAutoscaler", planned(observed(6, { object: wlaObject({ spec: { mode: "Shadow" }, status }) }))],
])("%s is compared with nothing", (_, uncompared) => {
  const { compared, logged } = reported({ plan: uncompared });
  expect([compared, ...logged.map(contextOf)]).toStrictEqual([[], {}]);
});

test("the metrics get how long it took, and a write that failed, now or before", () => {
  const { evaluated } = reported({ applied: { failure: "no" }, after: { statusFailure: "before" } });
  expect(evaluated).toEqual([
    {
      hpa: plan.observation.object,
      mode: "active",
      decision: plan.result.decision,
      builtIn: undefined,
      metricTookMs: [3],
      tookMs: 12,
      failure: "no",
    },
  ]);
  expect(reported({ after: { statusFailure: "before" } }).evaluated).toMatchObject([{ failure: "before" }]);
});
