// What /metrics shows to whoever reaches the port, and what only to callers with the right.
import { Gauge, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createMetricsPages, textOf } from "../../src/telemetry/metrics-page.ts";
import { rig, workload } from "../harness.ts";
import { get, secure, serving } from "./https-callers.ts";

const ofObjects = /shop|hits|default|horizontalpodautoscaler|plimsoll_namespace|desired_replicas/;
const ofProcess = /^plimsoll_hpa_controller_reconciliations_total\{action="\w+",error="none"\} 1$/m;

test("plain HTTP on any address shows the process, and nothing of what a tenant has", async () => {
  const { autoscaler, url } = await rig({
    before: (api) => workload(api, "shop", { value: "20" }),
    config: { serving },
  });
  await autoscaler.sync();
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toMatch(ofProcess);
  expect(text.replaceAll(/^# .*$/gm, "")).not.toMatch(ofObjects);
  expect(await autoscaler.metrics()).toMatch(ofObjects);
});

test("where it was allowed, plain HTTP shows the series of objects too", async () => {
  const { autoscaler, url } = await rig({
    before: (api) => workload(api, "shop", { value: "20" }),
    config: { serving: { ...serving, hasInsecureMetrics: true } },
  });
  await autoscaler.sync();
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(ofObjects);
});

test("HTTPS shows nothing without an identity", async () => {
  const { securePort } = await rig({ config: { serving: { ...serving, secure } } });
  expect((await get(securePort, "/metrics")).code).toBe(401);
});

test("a family with a label that is not listed is one of tenants", async () => {
  const registry = new Registry();
  const families = { plimsoll_new: "owner", plimsoll_known: "reason" };
  for (const [name, label] of Object.entries(families)) {
    const gauge = new Gauge({ name, help: name, labelNames: [label], registers: [registry] });
    gauge.set({ [label]: "x" }, 1);
  }
  const { all, process } = createMetricsPages(registry, [() => ["object 1\n"]]);
  expect(await textOf(all)).toMatch(/plimsoll_new\{[^]*plimsoll_known\{[^]*object 1/);
  expect(await textOf(process)).toBe(
    '# HELP plimsoll_known plimsoll_known\n# TYPE plimsoll_known gauge\nplimsoll_known{reason="x"} 1\n\n',
  );
});
