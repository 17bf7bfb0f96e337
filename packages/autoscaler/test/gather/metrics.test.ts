import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { hitsPath, hold, hpa, podsMetric, rig, workload, writes } from "../harness.ts";

test.each([
  [403, "Forbidden", "pods.custom.metrics.k8s.io is forbidden"],
  [404, "NotFound", "the server could not find the metric hits for pods"],
  [503, "ServiceUnavailable", "no backend"],
])(
  "a metric answered with %i is a failed sample with the API's own words, and never a scale-down",
  async (code, reason, message) => {
    const { api, autoscaler } = await rig({ before: (api) => workload(api, "shop", { value: "0" }) });
    api.script("GET", /\/hits$/, () => failure(code, reason, message), 99);
    await autoscaler.sync();
    await autoscaler.sync();
    expect(writes(api).filter((line) => line.endsWith("/scale"))).toEqual([]);
    const status = api.get("horizontalpodautoscalers", "default", "shop").status as {
      conditions: { type: string; reason: string; message: string }[];
    };
    expect(status.conditions.find(({ type }) => type === "ScalingActive")).toMatchObject({
      reason: "FailedGetPodsMetric",
      message: `the HPA was unable to compute the replica count: unable to get metric hits: unable to fetch metrics from custom metrics API: ${message}`,
    });
    expect(api.list("events").map((event) => event["reason"])).toContain("FailedGetPodsMetric");
  },
);

test("without a custom metrics API the reason says that none is registered", async () => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      api.groups.delete("custom.metrics.k8s.io/v1beta2");
      workload(api, "shop");
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.samples).toEqual([{ error: "no custom metrics API (custom.metrics.k8s.io) registered" }]);
});

test("without a resource metrics API the reason is what a missing resource gives", async () => {
  const metrics = [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  ];
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.samples).toEqual([
    { error: "the server could not find the requested resource (get pods.metrics.k8s.io)" },
  ]);
});

test("v1beta1 is spoken where v1beta2 is not served", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      api.groups.delete("custom.metrics.k8s.io/v1beta2");
      api.groups.add("custom.metrics.k8s.io/v1beta1");
      workload(api, "shop");
      api.metrics.set(hitsPath.replace("v1beta2", "v1beta1"), {
        items: [{ describedObject: { name: "shop-0" }, value: "1", window: 90 }],
      });
    },
  });
  await autoscaler.sync();
  expect(api.count("GET", /v1beta1\/namespaces\/default\/pods\/\*\/hits$/)).toBe(1);
  expect(inputs[0]?.samples).toEqual([{ pods: [{ name: "shop-0", value: "1", windowSeconds: 90 }] }]);
});

test("object metrics are requested by plural and group; the namespace's own metrics from this namespace", async () => {
  const value = { type: "Value", value: "2k" };
  const metrics = [
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" },
        metric: { name: "rps" },
        target: value,
      },
    },
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "v1", kind: "Namespace", name: "elsewhere" },
        metric: { name: "rps" },
        target: value,
      },
    },
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "x.io/v1", kind: "Unknown", name: "u" },
        metric: { name: "rps" },
        target: value,
      },
    },
  ];
  const { api, autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
      const base = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
      api.metrics.set(`${base}/ingresses.networking.k8s.io/main/rps`, { items: [{ value: "5" }] });
      api.metrics.set(`${base}/metrics/rps`, { items: [{ value: "6" }] });
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.samples).toEqual([
    { value: "5" },
    { value: "6" },
    { error: 'unable to map kind Unknown.x.io to resource: no matches for kind "Unknown" in group "x.io"' },
  ]);
  expect(api.count("GET", /elsewhere/)).toBe(0);
});

test("selectors go along in canonical form", async () => {
  const selector = {
    matchLabels: { verb: "GET", app: "a" },
    matchExpressions: [{ key: "z", operator: "DoesNotExist" }],
  };
  const metrics = [
    {
      type: "Pods",
      pods: { metric: { name: "hits", selector }, target: { type: "AverageValue", averageValue: "1" } },
    },
    {
      type: "External",
      external: { metric: { name: "queue", selector }, target: { type: "AverageValue", averageValue: "1" } },
    },
    {
      type: "External",
      external: { metric: { name: "bare" }, target: { type: "AverageValue", averageValue: "1" } },
    },
  ];
  const { api, autoscaler } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
    },
  });
  await autoscaler.sync();
  const query = (path: RegExp) =>
    Object.fromEntries(api.requests.find((request) => path.test(request.path))?.query ?? []);
  expect(query(/\/hits$/)).toEqual({ labelSelector: "app=shop", metricLabelSelector: "app=a,verb=GET,!z" });
  expect(query(/\/queue$/)).toEqual({ labelSelector: "app=a,verb=GET,!z" });
  expect(query(/\/bare$/)).toEqual({});
});

test("values that are no numbers make pods missing: nothing is scaled down on them", async () => {
  const { api, autoscaler } = await rig({ before: (api) => workload(api, "shop", { value: "1" }) });
  const served = api.metrics.get(hitsPath) as { items: { value: string }[] };
  api.metrics.set(hitsPath, {
    items: served.items.map((item, index) => ({ ...item, value: index === 0 ? "1" : "NaN" })),
  });
  await autoscaler.sync();
  expect(writes(api).filter((line) => line.endsWith("/scale"))).toEqual([]);
  const [record] = autoscaler.decisions.of("default", "shop");
  const metric = record?.decision.trace.find((step) => step.kind === "metric");
  expect(metric?.counts).toMatchObject({ ready: 1, missing: 2 });
});

test("an unknown metric type is reported as a mistake in the spec", async () => {
  const { autoscaler, url } = await rig({
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics: [{ type: "Moon" }] } }));
    },
  });
  await autoscaler.sync();
  const [record] = autoscaler.decisions.of("default", "shop");
  expect(record?.decision.status.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", status: "False", reason: "InvalidMetricSourceType" }),
  );
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(
    'metric_computation_total{action="none",error="spec",metric_type="Moon"} 1',
  );
});

test("five hundred metrics are requested a few at a time", async () => {
  let open = 0;
  let most = 0;
  const { api, autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      const metrics = Array.from({ length: 500 }, (_, n) => podsMetric(`m-${n}`));
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
    },
  });
  api.script(
    "GET",
    /\/m-\d+$/,
    async ({ path }) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      open -= 1;
      return {
        code: 200,
        body: { items: [{ describedObject: { name: "shop-0" }, value: path.split("-").at(-1) }] },
      };
    },
    500,
  );
  await autoscaler.sync();
  expect(inputs[0]?.samples).toHaveLength(500);
  expect(inputs[0]?.samples[499]).toEqual({ pods: [{ name: "shop-0", value: "499" }] });
  expect(most).toBeLessThanOrEqual(8);
});
