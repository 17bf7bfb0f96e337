import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "../../fake-api.ts";
import { hpa, rig, wanting, within, workload } from "../../harness.ts";
import { conditions as conditionsOf, setUp } from "../workload-autoscalers.ts";

const periodMs = 15_000;
const startMs = Date.parse("2030-01-01T00:00:00Z");
const manager = "plimsoll-autoscaler";

const ownEntry = (subresource: string) => ({
  manager,
  subresource,
  operation: "Update",
  time: "2030-01-01T00:00:00Z",
  fieldsV1: subresource === "scale" ? { "f:spec": { "f:replicas": {} } } : { "f:status": {} },
});

/** The next two statuses are stored, and their responses are lost. */
function loseStatusResponses(api: FakeApi): void {
  const lose = ({ body }: { readonly body: unknown }) => {
    const known = api.get("horizontalpodautoscalers", "default", "shop");
    const metadata = { ...known.metadata, managedFields: [ownEntry("status")] };
    const { status } = body as { readonly status: object };
    api.put("horizontalpodautoscalers", { ...known, metadata, status });
    return failure(500, "InternalError", "lost");
  };
  api.script("PUT", /\/status$/, lose, 2);
}

/** The next replicas are stored, and the response is lost. */
function loseScaleResponse(api: FakeApi): void {
  api.script("PUT", /\/scale$/, ({ body }) => {
    const known = api.get("deployments", "default", "shop");
    const metadata = { ...known.metadata, managedFields: [ownEntry("scale")] };
    const { replicas } = (body as { readonly spec: { readonly replicas: number } }).spec;
    api.put("deployments", { ...known, metadata, spec: { ...(known.spec as object), replicas } });
    return failure(500, "InternalError", "lost");
  });
}

const replicas = (api: FakeApi) =>
  (api.get("deployments", "default", "shop").spec as { readonly replicas: number }).replicas;

async function world() {
  let wanted = 5;
  const clock = manualClock(startMs);
  const process = await rig({
    clock,
    decide: wanting(() => wanted),
    config: { syncPeriodMs: periodMs },
    before(api) {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop"));
    },
  });
  return {
    ...process,
    clock,
    want: (count: number) => void (wanted = count),
    last: () => process.autoscaler.decisions.of("default", "shop").at(-1),
  };
}

test("statuses whose responses are lost again and again never are another installation's", async () => {
  const { api, clock, last, want } = await world();
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  await clock.advance(2 * periodMs);
  for (let n = 0; n < 4; n++) {
    loseStatusResponses(api);
    want(6 + n);
    await clock.advance(4 * periodMs);
    expect(last()?.mode).toBe("active");
    expect(replicas(api)).toBe(6 + n);
  }
});

test("replicas whose responses are lost are not another client's", async () => {
  const { api, clock, last, want } = await world();
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  loseScaleResponse(api);
  want(8);
  await within(clock, periodMs, () => expect(replicas(api)).toBe(8));
  await clock.advance(periodMs);
  expect(last()?.otherWriter).toBeUndefined();
});

test("the status that says who has a WorkloadAutoscaler does not count as one more of that writer", async () => {
  const clock = manualClock(startMs);
  const { api, autoscaler } = await setUp({ tuning: { syncPeriodSeconds: 15 } }, "20", clock);
  const active = () => conditionsOf(api)["Active"];
  await within(clock, 2 * periodMs, () => expect(active()).toBe("True Managing"));
  const known = api.get("workloadautoscalers", "default", "shop");
  const metadata = { ...known.metadata, managedFields: [{ ...ownEntry("status"), manager: "other" }] };
  const status = { currentReplicas: 5, desiredReplicas: 5, conditions: [] };
  api.put("workloadautoscalers", { ...known, metadata, status });
  await within(clock, 2 * periodMs, () => expect(active()).toBe("False ForeignWriter"));
  await clock.advance(2 * periodMs);
  const last = autoscaler.decisions.of("default", "shop", "workloadautoscalers").at(-1);
  expect(last?.otherWriter).toMatchObject({ by: "other", writes: "status", count: 1 });
});
