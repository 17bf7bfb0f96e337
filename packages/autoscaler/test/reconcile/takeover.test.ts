import { expect, test } from "vitest";
import { hpa, rig, workload } from "../harness.ts";

test("after a takeover the trace says what is unknown, and no event reports a scale that was not seen", async () => {
  const now = new Date().toISOString();
  const { api, autoscaler } = await rig({
    before: (api) => {
      workload(api, "shop", { value: "100" });
      const fieldsV1 = { "f:spec": { "f:replicas": {} } };
      const writer = { manager: "kube-controller-manager", subresource: "scale", time: now, fieldsV1 };
      const known = api.get("deployments", "default", "shop");
      api.put("deployments", { ...known, metadata: { ...known.metadata, managedFields: [writer] } });
      const policies = [{ type: "Pods", value: 4, periodSeconds: 60 }];
      api.put("horizontalpodautoscalers", {
        ...hpa("shop", { spec: { behavior: { scaleUp: { policies } } } }),
        status: { currentReplicas: 3, desiredReplicas: 3, lastScaleTime: now, conditions: [] },
      });
    },
  });
  await autoscaler.sync();
  const [decided] = autoscaler.decisions.of("default", "shop");
  const trace = decided?.decision.trace ?? [];
  expect(trace.map(({ kind }) => kind)).toContain("unknown-history");
  const rate = trace.find((step) => step.kind === "rate");
  expect(rate).toMatchObject({ policies: [{ unknown: 4, added: 0, removed: 0 }] });
  expect(decided?.decision.scaleTo).toBeUndefined();
  expect(api.list("events").filter(({ reason }) => reason === "SuccessfulRescale")).toEqual([]);
});
