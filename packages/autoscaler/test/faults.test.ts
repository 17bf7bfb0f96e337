import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DecideInput, decide } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "./fake-api.ts";
import { hpa, rig, workload, writes } from "./harness.ts";

const replicas = (api: FakeApi, name: string) =>
  (api.get("deployments", "default", name).spec as { replicas: number }).replicas;

test.each([
  [403, "Forbidden", "deployments.apps is forbidden"],
  [404, "NotFound", 'deployments.apps "shop" not found'],
  [422, "Invalid", "spec.replicas: more than the quota"],
  [429, "TooManyRequests", "too many requests"],
])(
  "a scale write that gets %i: condition and event say so, others are scaled",
  async (code, reason, message) => {
    const { api, autoscaler } = await rig({
      before: (api) => {
        workload(api, "shop", { value: "20" });
        api.script("PUT", /\/shop\/scale$/, () => failure(code, reason, message), 99);
      },
    });
    await autoscaler.sync();
    expect(replicas(api, "shop")).toBe(3);
    expect(autoscaler.decisions.of("default", "shop").at(-1)?.decision.status.conditions).toContainEqual(
      expect.objectContaining({
        type: "AbleToScale",
        status: "False",
        reason: "FailedUpdateScale",
        message: expect.stringContaining(message),
      }),
    );
    expect(api.list("events").map((event) => event["reason"])).toContain("FailedRescale");
    workload(api, "other", { value: "20" });
    await autoscaler.sync();
    expect(replicas(api, "other")).toBe(6);
  },
);

test("a process that dies between its two writes leaves no step to be taken twice", async () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 600 }] } };
  const first = await rig({
    before: (api) => {
      workload(api, "shop", { value: "90" });
      api.put("horizontalpodautoscalers", {
        ...hpa("shop", { spec: { behavior } }),
        status: {
          currentReplicas: 3,
          desiredReplicas: 3,
          currentMetrics: [],
          conditions: [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale" }],
        },
      });
      api.script("PUT", /\/status$/, () => failure(503, "ServiceUnavailable", "gone"), 1);
    },
  });
  await first.autoscaler.sync();
  await first.autoscaler.stop();
  expect(replicas(first.api, "shop")).toBe(5);
  const second = await rig({ api: first.api });
  for (let n = 0; n < 2; n++) await second.autoscaler.sync();
  expect(replicas(first.api, "shop")).toBe(5);
  expect(writes(first.api).filter((line) => line.endsWith("/scale"))).toHaveLength(1);
});

test("a count that was written although the response says otherwise uses up the policies", async () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 600 }] } };
  const { api, autoscaler } = await rig({
    before: (api) => {
      workload(api, "shop", { value: "90" });
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { behavior } }));
      // Carried out, and then the response is lost on its way.
      api.script("PUT", /\/shop\/scale$/, ({ body }) => {
        const { replicas } = (body as { spec: { replicas: number } }).spec;
        const known = api.get("deployments", "default", "shop");
        api.put("deployments", { ...known, spec: { ...(known.spec as object), replicas } });
        return failure(504, "Timeout", "the response is lost");
      });
    },
  });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(replicas(api, "shop")).toBe(5);
  expect(api.count("PUT", /\/shop\/scale$/)).toBe(1);
});

test("the same recorded input gives the same decision again", async () => {
  const { inputs, autoscaler } = await rig({
    decide,
    before: (api) => workload(api, "shop", { value: "20" }),
  });
  await autoscaler.sync();
  const recorded = JSON.parse(JSON.stringify(inputs[0])) as DecideInput;
  const { decision } = autoscaler.decisions.of("default", "shop")[0] ?? {};
  expect(decision?.scaleTo).toBe(6);
  expect(decide(recorded).decision).toEqual(decision);
});

test("every test that the table of faults names exists", () => {
  const docs = fileURLToPath(new URL("../../../docs/developers/", import.meta.url));
  const table = readFileSync(`${docs}faults-autoscaler.md`, "utf8");
  const missing = [...table.matchAll(/\[([^\]]+)\]\(((?:\.\.\/)+(?:packages|tools)\/[^)]+\.ts)\)/g)].filter(
    ([, name = "", path = ""]) =>
      !existsSync(`${docs}${path}`) || !readFileSync(`${docs}${path}`, "utf8").includes(name),
  );
  expect(missing.map(([link]) => link)).toEqual([]);
  const rows = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, row]) => Number(row));
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  expect(rows).toEqual([...range(1, 12), ...range(25, 50)]);
});
