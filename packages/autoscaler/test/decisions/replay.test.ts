import { type DecideResult, decide, decodeRecord, encodeRecord, replay, withoutTrace } from "@plimsoll/core";
import type { LoggedDecision } from "@plimsoll/decisions";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { hpa, podsMetric, rig, workload } from "../harness.ts";

test("every record that is kept replays to the byte, and the log shows the traces that were decided", async () => {
  const decided: DecideResult[] = [];
  const { api, autoscaler, url } = await rig({
    config: { decisionHistory: 8 },
    decide: (input, memory) => {
      const result = decide(input, memory);
      decided.push(result);
      return result;
    },
    before: (api) => {
      workload(api, "own", { value: "20" });
      api.remove("horizontalpodautoscalers", "default", "own");
      const fallback = { policy: "Fallback", replicas: 5 };
      api.put("workloadautoscalers", {
        ...hpa("own", { spec: { metrics: [{ ...podsMetric("absent"), onMetricFailure: fallback }] } }),
        apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
        kind: "WorkloadAutoscaler",
      });
      workload(api, "shop", { value: "20" });
      const behavior = { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } };
      api.put(
        "horizontalpodautoscalers",
        hpa("shop", { annotations: { note: "kept by nothing" }, spec: { behavior } }),
      );
    },
  });
  const resources = ["horizontalpodautoscalers", "workloadautoscalers"] as const;
  const names = { horizontalpodautoscalers: "shop", workloadautoscalers: "own" } as const;
  api.script("PUT", /deployments\/shop\/scale$/, () => failure(500, "InternalError", "etcd is full"), 1);
  for (let n = 0; n < 8; n++) await autoscaler.sync();
  await eventually(() =>
    expect(
      resources.map((resource) => autoscaler.decisions.of("default", names[resource], resource).length),
    ).toEqual([8, 8]),
  );
  for (const resource of resources) {
    const records = autoscaler.decisions.records("default", names[resource], resource);
    expect(records).toHaveLength(8);
    for (const record of records) {
      const text = encodeRecord(record);
      const read = decodeRecord(text);
      expect(encodeRecord({ ...read, result: withoutTrace(replay(read)) })).toBe(text);
      expect(text).not.toContain("kept by nothing");
    }
    const made = decided.length;
    const path = `${url}/apis/decisions/v1/namespaces/default/${resource}/${names[resource]}`;
    const { items } = (await (await fetch(path)).json()) as { items: readonly LoggedDecision[] };
    const before = decided.slice(0, made).map(({ decision }) => JSON.stringify(decision.trace));
    expect(items).toHaveLength(8);
    const failed = items.filter(({ applied }) => applied === "scale-failed");
    const others = items.filter((item) => !failed.includes(item));
    const failedTraces = JSON.stringify(failed.map(({ decision }) => decision.trace));
    expect(failedTraces.includes("etcd is full")).toBe(resource === "horizontalpodautoscalers");
    for (const { decision } of others) expect(before).toContain(JSON.stringify(decision.trace));
  }
});
