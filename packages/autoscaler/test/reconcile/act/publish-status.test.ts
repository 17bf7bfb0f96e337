import { manualClock } from "@plimsoll/component-base/testing";
import type { HpaStatus } from "@plimsoll/core";
import {
  ApiError,
  createMutationCache,
  type KubeClient,
  type KubeObject,
  type KubeRequest,
  type MutationCache,
} from "@plimsoll/kube";
import { expect, test } from "vitest";
import type { Urgency } from "../../../src/budget/write-lines.ts";
import { projectHpa, type ScalingObject } from "../../../src/objects/scaling-object.ts";
import { createPermit } from "../../../src/reconcile/act/permit.ts";
import { type Published, publishStatus, urgencyOf } from "../../../src/reconcile/act/publish-status.ts";
import type { CurrentObject } from "../../../src/reconcile/current-object.ts";
import type { Plan } from "../../../src/reconcile/evaluate/plan.ts";
import { createStates, type ObjectState } from "../../../src/reconcile/remember/state.ts";

const key = "default/shop";
const nowMs = 1000;
const status = { currentReplicas: 2 } as HpaStatus;

function hpaOf(resourceVersion: string, status?: object): KubeObject {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "default", uid: "u1", resourceVersion },
    spec: { scaleTargetRef, maxReplicas: 3 },
    status,
  } as KubeObject;
}

interface World {
  /** The object is gone, or another process's. */
  lose(): void;
  mode: CurrentObject["mode"];
  stored: ScalingObject;
  readonly written: MutationCache<ScalingObject>;
}

/** Publishes a status; `meanwhile` happens before its write begins, `respond` while it is under way. */
async function publish(options: {
  readonly respond?: (world: World) => unknown;
  readonly meanwhile?: (world: World) => void;
  readonly isLater?: boolean;
  readonly before?: (world: World) => void;
  readonly state?: Partial<ObjectState>;
}) {
  const clock = manualClock(nowMs);
  let isKnown = true;
  const states = createStates(() => isKnown);
  const written = createMutationCache<ScalingObject>({ clock });
  const world: World = {
    mode: "active",
    stored: projectHpa(hpaOf("1")),
    written,
    lose() {
      isKnown = false;
      states.drop(key);
      written.drop(key);
    },
  };
  const { stored } = world;
  const first = states.of(key, stored);
  states.update(first, (now) => ({ ...now, ...options.state }));
  const readCurrent = () => {
    const current = { stored: world.stored, object: world.stored, mode: world.mode, isReclaimed: false };
    return isKnown ? { ...current, state: states.of(key, stored) } : undefined;
  };
  const requests: KubeRequest[] = [];
  const client = {
    request(request: KubeRequest) {
      requests.push(request);
      return new Promise((resolve) => {
        resolve(options.respond?.(world) ?? hpaOf("2", status));
      });
    },
  } as unknown as KubeClient;
  const result = { decision: { status } };
  const plan = {
    observation: { key, stored, object: stored, state: first },
    mode: "active",
    conflict: { yielded: undefined, suspect: undefined },
    decided: result,
    result,
  } as unknown as Plan;
  const events: object[] = [];
  const permit = createPermit(plan, readCurrent);
  options.before?.(world);
  const urgencies: Urgency[] = [];
  const published = await publishStatus(plan, permit, {
    client,
    queue: {
      put(_, urgency, write) {
        urgencies.push(urgency);
        options.meanwhile?.(world);
        return options.isLater === true ? Promise.resolve("later") : write();
      },
    },
    states,
    written,
    isKnown: () => isKnown,
    readCurrent,
    clock,
    events: { record: (to, event) => void events.push({ name: to.name, ...event }) },
  });
  const state = states.entries.size === 0 ? undefined : states.of(key, stored);
  return { published, requests, events, urgencies, state, written: [...written.entries.keys()] };
}

const throwing = (error: unknown) => () => {
  throw error;
};
const apiError = (code: number, retryAfterMs?: number) =>
  new ApiError({ code, reason: "", message: "no", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

test("a status is kept until the watch shows it", async () => {
  const { published, requests, state, urgencies, written } = await publish({});
  expect([published, written, urgencies]).toEqual([{ result: "stored" }, [key], ["report"]]);
  expect(requests).toMatchObject([{ method: "PUT", body: { status, metadata: { resourceVersion: "1" } } }]);
  expect(state).toMatchObject({ pendingStatus: undefined, isStatusUncertain: false, hasStored: true });
  expect(state?.lastWritten).toMatchObject({ status, metadata: { resourceVersion: "2" } });
});

test("nothing is kept of a status whose object goes while it is written", async () => {
  const { published, state, written } = await publish({
    respond(world) {
      world.lose();
      return hpaOf("2", status);
    },
  });
  expect([published, state, written]).toEqual([{ result: "stored" }, undefined, []]);
});

test.each<[what: string, options: Parameters<typeof publish>[0], published: Published, pending: unknown]>([
  ["that waits in the queue", { isLater: true }, { result: "later" }, status],
  ["of an object in shadow", { before: (world) => (world.mode = "shadow") }, { result: "fenced" }, status],
  [
    "of an object in shadow by now",
    { meanwhile: (world) => (world.mode = "shadow") },
    { result: "fenced" },
    status,
  ],
  [
    "of an object that is gone by now",
    { meanwhile: (world) => world.lose() },
    { result: "fenced" },
    undefined,
  ],
])("a status %s is not written", async (_, options, published, pending) => {
  const { published: result, requests, events, state } = await publish(options);
  expect([result, requests, events, state?.pendingStatus]).toEqual([published, [], [], pending]);
});

test.each([
  ["4", "7"],
  ["9", "9"],
  [undefined, "7"],
])("a status that is stored already is not written again (we wrote version %s)", async (ours, known) => {
  const stored = projectHpa(hpaOf("7", status));
  const lastWritten = ours === undefined ? undefined : projectHpa(hpaOf(ours, status));
  const { published, requests, state } = await publish({
    meanwhile: (world) => (world.stored = stored),
    state: { lastWritten, isStatusUncertain: true },
  });
  expect([published, requests]).toEqual([{ result: "stored" }, []]);
  expect(state).toMatchObject({ pendingStatus: undefined, isStatusUncertain: false, hasStored: false });
  expect(state?.lastWritten?.metadata.resourceVersion).toBe(known);
});

test.each([
  ["a conflict", apiError(409), false, undefined],
  ["a server that is busy", apiError(429, 3000), false, 3000],
  ["a server that is away", apiError(503), true, undefined],
  ["a connection that ends", new Error("no"), true, undefined],
])(
  "%s leaves the status for the next evaluation, and is an event",
  async (_, error, isUncertain, retryAfterMs) => {
    const { published, events, state, written } = await publish({ respond: throwing(error) });
    const failure = "failed to update status for shop: no";
    expect(published).toEqual({ result: "failed", failure, retryAfterMs });
    expect(events).toEqual([{ name: "shop", type: "Warning", reason: "FailedUpdateStatus", message: "no" }]);
    expect(state).toMatchObject({
      pendingStatus: status,
      isStatusUncertain: isUncertain,
      statusFailure: failure,
      skipUntilMs: retryAfterMs === undefined ? 0 : nowMs + retryAfterMs,
    });
    expect([state?.lastWritten, written]).toEqual([undefined, []]);
  },
);

test.each([
  ["the server refuses the next one", apiError(409), []],
  ["it may have been stored", apiError(503), [key]],
])("what was written before is kept unless %s", async (_, error, kept) => {
  const { written } = await publish({
    before: (world) => world.written.put(key, world.stored),
    respond: throwing(error),
  });
  expect(written).toEqual(kept);
});

test("a status that may have been stored still counts as such after a conflict", async () => {
  const { state } = await publish({ respond: throwing(apiError(409)), state: { isStatusUncertain: true } });
  expect(state?.isStatusUncertain).toBe(true);
});

test("a status that failed makes no Event once another process has the object", async () => {
  const { published, events } = await publish({
    respond(world) {
      world.lose();
      throw apiError(503);
    },
  });
  expect([published, events]).toEqual([{ result: "fenced" }, []]);
});

test("an object that is gone needs no status", async () => {
  const { published, events, state, written } = await publish({ respond: throwing(apiError(404)) });
  expect([published, events, written]).toEqual([{ result: "stored" }, [], []]);
  expect(state).toMatchObject({
    pendingStatus: undefined,
    isStatusUncertain: false,
    statusFailure: undefined,
  });
});

test("a write that waits for a connection is not sent once the object is another process's", async () => {
  const { requests } = await publish({ respond: (world) => (world.lose(), hpaOf("2", status)) });
  expect(requests[0]?.maySend?.()).toBe(false);
});

const shown = {
  currentReplicas: 2,
  desiredReplicas: 3,
  lastScaleTime: "2030-01-01T00:00:00Z",
  observedGeneration: 1,
  currentMetrics: [],
  conditions: [
    { type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "", lastTransitionTime: "" },
    {
      type: "ScalingActive",
      status: "True",
      reason: "ValidMetricFound",
      message: "",
      lastTransitionTime: "",
    },
  ],
} as HpaStatus;
const [able, scaling] = shown.conditions;

test.each<[what: string, change: object, urgency: string]>([
  ["nothing", {}, "refresh"],
  ["a metric's value", { currentMetrics: [{ type: "External" }] }, "refresh"],
  ["a message", { conditions: [able, { ...scaling, message: "other" }] }, "refresh"],
  ["the current replicas", { currentReplicas: 3 }, "report"],
  ["the desired replicas", { desiredReplicas: 4 }, "report"],
  ["the time of the last scale", { lastScaleTime: "2030-01-01T00:00:09Z" }, "report"],
  ["the generation", { observedGeneration: 2 }, "report"],
  ["a condition that is new", { conditions: [able] }, "report"],
  ["the type of a condition", { conditions: [able, { ...scaling, type: "ScalingLimited" }] }, "report"],
  ["the status of a condition", { conditions: [able, { ...scaling, status: "False" }] }, "report"],
  ["the reason of a condition", { conditions: [able, { ...scaling, reason: "Other" }] }, "report"],
  ["a reason that is new", { conditions: [able, { ...scaling, reason: undefined }] }, "report"],
  ["conditions that are new", { conditions: null }, "report"],
])("of a status in which %s changed", (_, change, urgency) => {
  expect(urgencyOf({ ...shown, ...change }, shown)).toBe(urgency);
});

test("a reason that is empty is the same as none", () => {
  const withReason = (reason: string | undefined) =>
    ({ ...shown, conditions: [{ ...able, reason }] }) as never;
  expect(urgencyOf(withReason(undefined), withReason(""))).toBe("refresh");
});

test("a first status is worth reporting", () => {
  expect(urgencyOf(undefined, shown)).toBe("report");
});
