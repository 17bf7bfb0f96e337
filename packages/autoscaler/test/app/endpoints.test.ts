import { manualClock } from "@plimsoll/component-base/testing";
import type { LoggedDecision } from "@plimsoll/decisions";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { hold, rig, within, workload } from "../harness.ts";

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

test("the endpoints: health, readiness, decisions, and nothing but GET", async () => {
  const { autoscaler, url } = await rig({
    decide: hold,
    before: (api) => workload(api, "shop"),
    config: { decisionHistory: 2 },
  });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(await text(`${url}/healthz`)).toBe("ok\n");
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    200,
    "[+]horizontalpodautoscalers\n[+]pods\n[+]workloadautoscalers\n[+]evaluations\n",
  ]);

  const one = (await (
    await fetch(`${url}/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop`)
  ).json()) as {
    items: LoggedDecision[];
  };
  expect(one.items).toHaveLength(2);
  expect(one.items[0]?.decision.desiredReplicas).toBe(3);
  expect(Date.parse(one.items[0]?.at ?? "")).toBeLessThanOrEqual(Date.parse(one.items[1]?.at ?? ""));
  const all = (await (await fetch(`${url}/apis/decisions/v1`)).json()) as { items: LoggedDecision[] };
  expect(all.items).toMatchObject([{ namespace: "default", name: "shop", mode: "active" }]);

  const missing = await fetch(`${url}/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/none`);
  expect([missing.status, await missing.json()]).toMatchObject([404, { kind: "Status", reason: "NotFound" }]);
  const posted = await fetch(`${url}/apis/decisions/v1`, { method: "POST", body: "{}" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const crossed = await fetch(`${url}/metrics`, { headers: { origin: "http://elsewhere.example" } });
  expect(crossed.headers.get("access-control-allow-origin")).toBeNull();
  expect(
    (await fetch(`${url}/apis/decisions/v1/namespaces/%E0%A4%A/horizontalpodautoscalers/x`)).status,
  ).toBe(400);
});

test("metrics carry upstream's labels, and an object's series go with it", async () => {
  const { api, autoscaler, url } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
  await autoscaler.sync();
  const before = await text(`${url}/metrics`);
  expect(before).toContain('plimsoll_hpa_controller_reconciliations_total{action="scale_up",error="none"} 1');
  expect(before).toContain(
    'plimsoll_hpa_controller_metric_computation_total{action="scale_up",error="none",metric_type="Pods"} 1',
  );
  expect(before).toContain(
    'plimsoll_hpa_controller_desired_replicas{namespace="default",hpa_name="shop",kind="HorizontalPodAutoscaler"} 6',
  );
  expect(before).toContain("plimsoll_hpa_controller_num_horizontal_pod_autoscalers 1");
  expect(before).toContain('plimsoll_metrics_api_requests_total{api="custom",result="ok"} 1');
  api.remove("horizontalpodautoscalers", "default", "shop");
  await eventually(async () => expect(await text(`${url}/metrics`)).not.toContain('hpa_name="shop"'));
  expect(autoscaler.decisions.latest()).toEqual([]);
});

test("before the API server responds the process lives and is not ready", async () => {
  const clock = manualClock(Date.now());
  const { api, url } = await rig({
    isOverHttp: true,
    clock,
    decide: hold,
    synced: false,
    before: (api) => {
      workload(api, "shop");
      api.script(
        "GET",
        /\/(?:pods|horizontalpodautoscalers)$/,
        () => failure(503, "ServiceUnavailable", "starting"),
        4,
      );
    },
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  await within(clock, 60_000, async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
  expect(api.count("GET", /\/pods$/)).toBeGreaterThan(1);
});

test("WorkloadAutoscalers that may not be listed hold nothing else back, and readiness says what to allow", async () => {
  const clock = manualClock(Date.now());
  const { api, log, url } = await rig({
    clock,
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.script("GET", /\/workloadautoscalers$/, () => failure(403, "Forbidden", "no right to list"), 3);
    },
  });
  expect(await text(`${url}/readyz`)).toBe(
    [
      "[+]horizontalpodautoscalers",
      "[+]pods",
      "[-]workloadautoscalers failed: cannot be listed: grant list and watch on workloadautoscalers.autoscaling.plimsoll.dev (no right to list)",
      "[+]evaluations",
      "",
    ].join("\n"),
  );
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect(JSON.stringify(log)).toContain("no right to list");
  await within(clock, 60_000, async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
  expect(api.count("GET", /\/workloadautoscalers$/)).toBeGreaterThan(3);
});

test.each([
  ["horizontalpodautoscalers", "horizontalpodautoscalers.autoscaling"],
  ["pods", "pods"],
])("%s that may not be listed: readiness says what to allow", async (resource, full) => {
  const path = new RegExp(`/${resource}$`);
  const { url } = await rig({
    decide: hold,
    synced: false,
    before: (api) => api.script("GET", path, () => failure(403, "Forbidden", "no right to list"), 99),
  });
  await eventually(async () =>
    expect(await text(`${url}/readyz`)).toContain(
      `[-]${resource} failed: cannot be listed: grant list and watch on ${full} (no right to list)\n`,
    ),
  );
  expect(await text(`${url}/readyz`)).toContain("[-]evaluations\n");
});
