import { ApiError, type KubeClient } from "@plimsoll/kube";
import type { ScaleTarget } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { act } from "../../../src/reconcile/act/act.ts";
import type { PermitResult } from "../../../src/reconcile/act/permit.ts";
import type { Published } from "../../../src/reconcile/act/publish-status.ts";
import type { Plan } from "../../../src/reconcile/evaluate/plan.ts";
import { nowMs, observed, planned } from "../observations.ts";

const scaleOf = (replicas: number) => ({
  metadata: { namespace: "default", name: "shop", resourceVersion: "1" },
  spec: { replicas },
  status: { replicas, selector: "app=shop" },
});
const info = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true };
const target = { info, scale: scaleOf(4) } as ScaleTarget;
const up = planned(observed(6, { target }));
const steady = planned(observed(4, { target }));
const quiet: Plan = { ...steady, writesStatus: false };
const conflict = new ApiError({ code: 409, reason: "Conflict", message: "changed" });
const busy = new ApiError({ code: 429, reason: "", message: "busy", retryAfterMs: 2000 });

/** Carries a plan out; `responses` are to the requests for the scale, `permits` to the questions whether it may. */
async function carryOut(
  plan: Plan,
  options: {
    readonly responses?: readonly unknown[];
    readonly permits?: readonly PermitResult[];
    readonly published?: Published;
  } = {},
) {
  const responses = [...(options.responses ?? [scaleOf(6)])];
  const permits = [...(options.permits ?? [])];
  const events: string[] = [];
  const statuses: Plan["result"][] = [];
  const lines: string[] = [];
  const log = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`);
  const respond = (response: unknown) =>
    response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
  const applied = await act(
    plan,
    { check: () => permits.shift() ?? "granted" },
    {
      client: { request: () => respond(responses.shift()) } as unknown as KubeClient,
      clock: { nowMs: () => nowMs + 40, after: (_, call) => (queueMicrotask(call), () => undefined) },
      random: () => 0,
      log: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
      targets: { seen: () => true, doubt: () => undefined },
      events: { record: ({ name }, { reason }) => void events.push(`${name} ${reason}`) },
      budget: { run: (_, call) => call() },
      publish({ result }) {
        statuses.push(result);
        return Promise.resolve(options.published ?? { result: "stored" });
      },
    },
  );
  return { applied, events, statuses, lines };
}

const as = (plan: Plan) => ({
  outcome: plan.outcome,
  result: plan.result,
  scaleFailure: undefined,
  scaledAtMs: undefined,
  retryAfterMs: undefined,
  failure: undefined,
});

test("a plan that scales", async () => {
  expect(await carryOut(up)).toEqual({
    applied: { ...as(up), outcome: "scaled", scaledAtMs: nowMs + 40 },
    events: ["shop SuccessfulRescale"],
    statuses: [up.result],
    lines: ["info scaled"],
  });
});

test("a plan that scales nothing writes its status, if there is something to write", async () => {
  expect(await carryOut(steady)).toEqual({
    applied: as(steady),
    events: [],
    statuses: [steady.result],
    lines: [],
  });
  expect(await carryOut(quiet)).toEqual({ applied: as(quiet), events: [], statuses: [], lines: [] });
  const unread = planned(observed(6));
  expect((await carryOut(unread)).applied).toEqual(as(unread));
});

test.each<[what: string, permits: readonly PermitResult[], lines: readonly string[]]>([
  ["before", ["changed"], []],
  ["while it waits for its turn", ["granted", "changed"], []],
])("a plan that may not be carried out any more, %s, reports nothing", async (_, permits, lines) => {
  const { applied, ...rest } = await carryOut(up, { permits });
  expect(applied.outcome).toBe("fenced");
  expect(rest).toEqual({ events: [], statuses: [], lines });
});

test.each(["changed", "lost"] as const)(
  "a scale that was made is reported, also if its permit is %s meanwhile",
  async (permit) => {
    const { applied, events } = await carryOut(up, { permits: ["granted", "granted", permit] });
    expect([applied.outcome, events]).toEqual(["scaled", ["shop SuccessfulRescale"]]);
  },
);

test("replicas that moved are observed again, and written over in the last pass", async () => {
  const responses = [conflict, scaleOf(5), scaleOf(6)];
  const { applied, ...rest } = await carryOut(up, { responses });
  expect([applied, rest]).toEqual([
    { ...as(up), outcome: "moved" },
    { events: [], statuses: [], lines: [] },
  ]);
  const last = { ...up, observation: { ...up.observation, isLastPass: true } };
  expect((await carryOut(last, { responses })).applied.outcome).toBe("scaled");
});

test("a scale that failed is reported as such, in event, status and result", async () => {
  const { applied, events, statuses } = await carryOut(up, { responses: [busy] });
  expect(applied).toMatchObject({
    outcome: "scale-failed",
    scaleFailure: { message: "busy", isUncertain: false },
    retryAfterMs: 2000,
    failure: "busy",
    scaledAtMs: undefined,
  });
  expect(events).toEqual(["shop FailedRescale"]);
  expect(statuses).toEqual([applied.result]);
  expect(applied.result.decision.scaleTo).toBeUndefined();
});

test.each([
  [[busy], undefined, 2000],
  [[busy], 3000, 3000],
  [[scaleOf(6)], 3000, 3000],
  [[scaleOf(6)], undefined, undefined],
])(
  "a status that could not be written is the failure, with its own Retry-After or else the scale's",
  async (responses, restMs, retryAfterMs) => {
    const published = { result: "failed", failure: "no status", retryAfterMs: restMs } as const;
    const { applied } = await carryOut(up, { responses, published });
    expect([applied.failure, applied.retryAfterMs]).toEqual(["no status", retryAfterMs]);
  },
);

test.each(["later", "fenced"] as const)(
  "a status that is %s changes nothing about the scale",
  async (result) => {
    const { applied } = await carryOut(up, { published: { result } });
    expect(applied).toEqual({ ...as(up), outcome: "scaled", scaledAtMs: nowMs + 40 });
  },
);
