// Live metrics of simulated pods, and what the invariant of served values notices of them.
import { expect, test } from "vitest";
import { liveGoesOn } from "../../src/invariants/live-goes-on.ts";
import type { AdapterServed } from "../../src/invariants/served-response.ts";
import { servedValues } from "../../src/invariants/served-values.ts";
import { workloadObject } from "../../src/objects/workloads.ts";
import { createRig } from "../adapter/rig.ts";
import { problemOf } from "./outcome.ts";

const root = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*";
const external = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop";

function rule(index: number, query: string) {
  const live = { port: "metrics", interval: "1s", podSelector: { matchLabels: { app: `live-${index}` } } };
  const type = query.includes("by (pod)") ? "Pods" : "External";
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name: `live-${index}`, namespace: "shop" },
    spec: { type, metric: `live_${index}`, query, live },
  };
}

const queries = [
  ["sum by (pod) (busy_workers)", `${root}/live_0`],
  ["sum by (pod) (rate(http_requests_total[5s]))", `${root}/live_0`],
  ["sum (busy_workers)", `${external}/live_0`],
  ["sum (rate(http_requests_total[5s]))", `${external}/live_0`],
] as const;

async function startRig(query: string) {
  const workload = { kind: "Deployment", namespace: "shop", name: "live-0" } as const;
  const rig = createRig({
    loads: [{ namespace: "shop", workload: "live-0", demand: { type: "constant", units: 3 } }],
    objects: [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      rule(0, query),
      workloadObject(workload, { replicas: 3, ports: [{ name: "metrics", containerPort: 8080 }] }),
    ],
  });
  // Nothing comes from there.
  rig.world.prometheus.add({ ofRequest: () => ({ type: "refused" }) });
  await rig.run(60_000);
  const served = async (path: string): Promise<AdapterServed> => {
    await rig.get(path);
    const last = rig.observations.findLast((one) => one.kind === "adapter-served");
    if (last === undefined) throw new Error("nothing was served");
    return last;
  };
  const violationOf = (last: AdapterServed): string | undefined => {
    const invariant = servedValues(rig.world);
    for (const one of rig.observations) if (one.kind === "scraped") invariant.observe?.(one);
    return problemOf(invariant.observe?.(last));
  };
  return { rig, served, violationOf };
}

test.for(queries)("%s has a value while Prometheus is away", async ([query, path]) => {
  const { rig, served, violationOf } = await startRig(query);
  const last = await served(path);
  const { items } = JSON.parse(last.body) as { readonly items: readonly { readonly value: string }[] };
  const sum = items.reduce((all, { value }) => all + Number(value.replace(/(\d{3})m$/, ".$1")), 0);
  expect(sum).toBeCloseTo(3_000, -2);
  expect(violationOf(last)).toBeUndefined();
  expect(rig.problems).toEqual([]);
});

test.for(queries)("of %s a value that is another one, or too old, is noticed", async ([query, path]) => {
  const { served, violationOf } = await startRig(query);
  const last = await served(path);
  const body = last.body.replace(/"value":"(\d)/, '"value":"1$1');
  expect(body).not.toBe(last.body);
  expect(violationOf({ ...last, body })).toMatch(/which the pages of live-0.* gave at no moment/);
  // The request itself may have waited for a full window.
  expect(violationOf({ ...last, receivedAtMs: last.receivedAtMs + 20_000 })).toMatch(/at no moment/);
});

test("a live metric that is refused for long, while nothing disturbs the adapter, is noticed", async () => {
  const [[query, path]] = queries;
  const { rig, served } = await startRig(query);
  const invariant = liveGoesOn(rig.world);
  const last = await served(path);
  const violationAfter = async (ms: number, code: number): Promise<string | undefined> => {
    await rig.run(ms);
    return problemOf(invariant.observe?.({ ...last, code }));
  };
  expect(await violationAfter(0, 200)).toBeUndefined();
  expect(await violationAfter(600_000, 503)).toBeUndefined();
  expect(await violationAfter(30_000, 503)).toBeUndefined();
  expect(await violationAfter(30_000, 503)).toMatch(/^adapter-0 has refused live_0 of shop for 60000 ms/);
  expect(await violationAfter(0, 200)).toBeUndefined();
});

test("a paused process does not serve what it had read before", async () => {
  const [[query, path]] = queries;
  const { rig, served } = await startRig(query);
  await served(path);
  const process = rig.world.processes.get("adapter-0");
  process?.pause();
  rig.world.time.after(8_000, () => process?.wake());
  await expect(rig.get(path)).rejects.toMatchObject({ code: 503 });
  await rig.run(2_000);
  expect((await served(path)).code).toBe(200);
});
