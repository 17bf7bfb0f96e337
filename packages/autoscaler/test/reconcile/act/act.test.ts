import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { conflict, failure } from "../../fake-api.ts";
import { hpa, rig, wanting, within, workload, writes } from "../../harness.ts";

const scalePath = "/apis/apps/v1/namespaces/default/deployments/shop/scale";
const statusPath = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/shop/status";
const eventsPath = "/api/v1/namespaces/default/events";

function replicas(api: { get(r: string, ns: string, n: string): { spec?: unknown } }): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

test("a decision is carried out: scale, event, status, one log line", async () => {
  const { api, autoscaler, log } = await rig({
    decide: wanting(() => 5),
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  expect([...writes(api)].sort()).toEqual(
    [`POST ${eventsPath}`, `PUT ${scalePath}`, `PUT ${statusPath}`].sort(),
  );
  expect(api.get("horizontalpodautoscalers", "default", "shop").status).toMatchObject({ desiredReplicas: 5 });
  expect(api.list("events")).toMatchObject([
    {
      reason: "SuccessfulRescale",
      message: "New size: 5; reason: load above target",
      type: "Normal",
      source: { component: "horizontal-pod-autoscaler" },
      involvedObject: {
        kind: "HorizontalPodAutoscaler",
        name: "shop",
        namespace: "default",
        uid: expect.any(String),
      },
    },
  ]);
  expect(log.filter(({ message }) => message === "scaled")).toMatchObject([
    {
      fields: { hpa: "default/shop", target: "Deployment/shop", from: 3, to: 5, reason: "load above target" },
    },
  ]);
});

test("when nothing changes, nothing is written", async () => {
  const { api, autoscaler } = await rig({ decide: wanting(() => 3), before: (api) => workload(api, "shop") });
  await autoscaler.sync();
  const first = writes(api).length;
  expect(first).toBe(1);
  await autoscaler.sync();
  await autoscaler.sync();
  expect(writes(api)).toHaveLength(first);
});

test("the status write keeps the rest of the object", async () => {
  const annotations = { owner: "team-a" };
  const { api, autoscaler } = await rig({
    decide: wanting(() => 3),
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { annotations }));
    },
  });
  await autoscaler.sync();
  const stored = api.get("horizontalpodautoscalers", "default", "shop");
  expect(stored.metadata["annotations"]).toEqual(annotations);
  expect(stored.spec).toMatchObject({ maxReplicas: 10 });
  expect(stored.status).toMatchObject({ desiredReplicas: 3 });
});

test("memory is carried from one evaluation to the next", async () => {
  const lengths: number[] = [];
  const decide = wanting(() => 3);
  const { autoscaler } = await rig({
    decide: (input, memory) => {
      lengths.push(memory?.recommendations.length ?? 0);
      return decide(input, memory);
    },
    before: (api) => workload(api, "shop"),
  });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(lengths).toEqual([0, 1, 2]);
});

test("a conflict on the scale is tried again on what is there then", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: wanting(() => 5),
    before: (api) => workload(api, "shop"),
  });
  api.script("PUT", /\/scale$/, () => conflict("deployments", "shop"), 3);
  await autoscaler.sync();
  expect(api.count("PUT", /\/scale$/)).toBe(4);
  expect(replicas(api)).toBe(5);
  expect(inputs).toHaveLength(1);
});

test("five conflicts are a failed rescale: condition, event, no scale in memory", async () => {
  const { api, autoscaler } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
  api.script("PUT", /\/scale$/, () => conflict("deployments", "shop"), 99);
  await autoscaler.sync();
  expect(api.count("PUT", /\/scale$/)).toBe(5);
  expect(replicas(api)).toBe(3);
  const [record] = autoscaler.decisions.of("default", "shop");
  expect(record?.applied).toBe("scale-failed");
  expect(record?.decision.status.conditions).toContainEqual(
    expect.objectContaining({ type: "AbleToScale", status: "False", reason: "FailedUpdateScale" }),
  );
  expect(api.list("events")).toContainEqual(
    expect.objectContaining({ type: "Warning", reason: "FailedRescale" }),
  );
});

test("replicas that another client changed meanwhile are decided again, not overwritten", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: wanting(({ scale }) => (scale.ok && scale.specReplicas === 3 ? 5 : 8)),
    before: (api) => workload(api, "shop"),
  });
  api.script("PUT", /\/scale$/, () => {
    const known = api.get("deployments", "default", "shop");
    api.put("deployments", { ...known, spec: { ...(known.spec as object), replicas: 8 } });
    return undefined;
  });
  await autoscaler.sync();
  expect(inputs.map(({ scale }) => scale.ok && scale.specReplicas)).toEqual([3, 8]);
  expect(replicas(api)).toBe(8);
  expect(api.count("PUT", /\/scale$/)).toBe(1);
});

test.each([
  [403, "Forbidden", 'deployments.apps "shop" is forbidden: no'],
  [404, "NotFound", 'deployments.apps "shop" not found'],
  [422, "Invalid", "spec.replicas: Invalid value: 5: too many"],
  [500, "InternalError", "etcd is away"],
])(
  "a scale write answered with %i fails at once, says why, and the loop goes on",
  async (code, reason, message) => {
    const { api, autoscaler, log } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
    api.script("PUT", /\/scale$/, () => failure(code, reason, message));
    await autoscaler.sync();
    expect(api.count("PUT", /\/scale$/)).toBe(1);
    expect(api.get("horizontalpodautoscalers", "default", "shop").status).toMatchObject({
      currentReplicas: 3,
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: "AbleToScale",
          status: "False",
          reason: "FailedUpdateScale",
          message: `the HPA controller was unable to update the target scale: ${message}`,
        }),
      ]),
    });
    expect(log).toContainEqual(
      expect.objectContaining({
        level: "warn",
        message: "evaluation failed",
        fields: { hpa: "default/shop", error: message },
      }),
    );
    await autoscaler.sync();
    expect(replicas(api)).toBe(6);
  },
);

test("a conflict on the status is an event and is put right in the next cycle", async () => {
  const { api, autoscaler } = await rig({ decide: wanting(() => 3), before: (api) => workload(api, "shop") });
  api.script("PUT", /\/status$/, () => conflict("horizontalpodautoscalers.autoscaling", "shop"));
  await autoscaler.sync();
  expect(api.list("events")).toMatchObject([{ reason: "FailedUpdateStatus", type: "Warning" }]);
  expect(api.get("horizontalpodautoscalers", "default", "shop").status).toBeUndefined();
  await autoscaler.sync();
  expect(api.get("horizontalpodautoscalers", "default", "shop").status).toMatchObject({ desiredReplicas: 3 });
});

test("periodic evaluations wait for the Retry-After of a server", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, inputs } = await rig({
    clock,
    decide: wanting(() => 5),
    before: (api) => {
      workload(api, "shop");
      api.script("PUT", /\/scale$/, () => ({
        ...failure(429, "TooManyRequests", "slow down"),
        headers: { "retry-after": "2" },
      }));
    },
    config: { syncPeriodMs: 200 },
  });
  await within(clock, 1000, () => expect(api.count("PUT", /\/scale$/)).toBe(1));
  const seen = inputs.length;
  expect(await within(clock, 4000, () => expect(replicas(api)).toBe(5))).toBeGreaterThan(1900);
  expect(inputs.length).toBeLessThan(seen + 8);
});

test("in shadow nothing is written, and the decision stands beside the other controller's", async () => {
  const { api, autoscaler, log } = await rig({
    decide: wanting(() => 5),
    config: { manageHpas: "none" },
    before: (api) => {
      workload(api, "shop");
      const known = api.get("horizontalpodautoscalers", "default", "shop");
      const conditions = [{ type: "AbleToScale", status: "True" }];
      api.put("horizontalpodautoscalers", {
        ...known,
        status: { currentReplicas: 3, desiredReplicas: 4, conditions },
      });
    },
  });
  await autoscaler.sync();
  await autoscaler.sync();
  expect(writes(api)).toEqual([]);
  expect(replicas(api)).toBe(3);
  expect(autoscaler.decisions.of("default", "shop")).toMatchObject([
    { mode: "shadow", applied: "shadow", decision: { scaleTo: 5 }, builtIn: { desiredReplicas: 4 } },
    { mode: "shadow" },
  ]);
  expect(log.some(({ message }) => message === "would scale")).toBe(true);
});

test("in shadow the decision has the status that the built-in controller would write", async () => {
  const { autoscaler } = await rig({
    config: { manageHpas: "none" },
    before: (api) => workload(api, "shop", { value: "15" }),
  });
  await autoscaler.sync();
  expect(autoscaler.decisions.of("default", "shop").at(-1)).toMatchObject({
    mode: "shadow",
    decision: {
      scaleTo: 5,
      status: {
        lastScaleTime: expect.any(String),
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: "AbleToScale", reason: "SucceededRescale" }),
        ]),
      },
    },
  });
});

test("annotated: only objects with the annotation are managed", async () => {
  const { api, autoscaler } = await rig({
    decide: wanting(() => 5),
    config: { manageHpas: "annotated" },
    before: (api) => {
      workload(api, "shop");
      workload(api, "other");
      api.put(
        "horizontalpodautoscalers",
        hpa("shop", { annotations: { "autoscaling.plimsoll.dev/managed": "true" } }),
      );
    },
  });
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  expect(api.count("PUT", /other/)).toBe(0);
  expect(
    autoscaler.decisions
      .latest()
      .map(({ name, mode }) => `${name} ${mode}`)
      .sort(),
  ).toEqual(["other shadow", "shop active"]);
});

test.each([
  ["follows", 7, true],
  ["does not follow", 3, false],
])(
  "in shadow, when the other controller %s, the scale is remembered accordingly",
  async (_, found, isMade) => {
    const policies = [{ type: "Pods", value: 4, periodSeconds: 60 }];
    const { api, autoscaler } = await rig({
      config: { manageHpas: "none" },
      before: (api) => {
        workload(api, "shop", { value: "100" });
        api.put("horizontalpodautoscalers", hpa("shop", { spec: { behavior: { scaleUp: { policies } } } }));
      },
    });
    await autoscaler.sync();
    expect(autoscaler.decisions.of("default", "shop")).toMatchObject([{ decision: { scaleTo: 7 } }]);
    const known = api.get("deployments", "default", "shop");
    api.put("deployments", { ...known, spec: { ...(known.spec as object), replicas: found } });
    await autoscaler.sync();
    const step = { kind: "unconfirmed-scale", replicas: 7, isMade };
    expect(autoscaler.decisions.of("default", "shop").at(-1)?.decision.trace).toContainEqual(step);
    expect(writes(api)).toEqual([]);
  },
);
