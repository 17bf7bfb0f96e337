import type { DecideInput } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "./fake-api.ts";
import {
  deployment,
  eventually,
  hitsPath,
  hpa,
  podsMetric,
  rig,
  wanting,
  workload,
  writes,
} from "./harness.ts";

const hold = wanting(({ scale }) => (scale.ok ? scale.specReplicas : 0));

test("the decision is handed the scale, the pods and one sample per metric", async () => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop", { replicas: 2, value: "1500m" });
      workload(api, "other", { replicas: 1 });
      api.metrics.set(hitsPath, {
        items: [0, 1].map((n) => ({
          describedObject: { name: `shop-${n}` },
          value: "1500m",
          windowSeconds: 30,
        })),
      });
    },
  });
  await autoscaler.sync();
  const input = inputs.find((one) => one.hpa.metadata?.name === "shop");
  expect(input?.scale).toEqual({ ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=shop" });
  expect(input?.pods.ok && input.pods.pods.map((one) => one.metadata?.name)).toEqual(["shop-0", "shop-1"]);
  expect(input?.pods.ok && input.pods.pods[0]).toMatchObject({
    spec: { containers: [{ name: "c", resources: { requests: { cpu: "100m" } } }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  expect(input?.samples).toEqual([
    {
      pods: [
        { name: "shop-0", value: "1500m", windowSeconds: 30 },
        { name: "shop-1", value: "1500m", windowSeconds: 30 },
      ],
    },
  ]);
  expect(input?.ambiguousWith).toBeUndefined();
});

test.each([
  ["a/b/c", "Deployment", "spec", "unexpected GroupVersion string: a/b/c"],
  ["apps/v1", "Rocket", "internal", 'no matches for kind "Rocket" in group "apps"'],
  ["apps/v1", "Deployment", "internal", 'deployments.apps "shop" not found'],
])("a target %s %s that cannot be read is reported as %s: %s", async (apiVersion, kind, error, message) => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) =>
      api.put(
        "horizontalpodautoscalers",
        hpa("shop", { spec: { scaleTargetRef: { apiVersion, kind, name: "shop" } } }),
      ),
  });
  await autoscaler.sync();
  expect(inputs[0]?.scale).toEqual({ ok: false, message, kind: error });
});

test("a target's version does not matter, its group does", async () => {
  const scaleTargetRef = { apiVersion: "apps/v9", kind: "Deployment", name: "shop" };
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { scaleTargetRef } }));
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.scale).toMatchObject({ ok: true, specReplicas: 3 });
});

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

test("object metrics ask by plural and group; the namespace's own metrics ask for this namespace", async () => {
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

test("HPAs that ask the same question in one pass share the answer", async () => {
  const external = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  const { api, autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      for (const name of ["a", "b", "c"]) {
        workload(api, name);
        api.put("horizontalpodautoscalers", hpa(name, { spec: { metrics: [external] } }));
      }
      api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
        items: [{ value: "7" }],
      });
    },
  });
  await autoscaler.sync();
  expect(inputs).toHaveLength(3);
  expect(api.count("GET", /\/queue$/)).toBe(1);
  await autoscaler.sync();
  expect(api.count("GET", /\/queue$/)).toBe(2);
});

test("two HPAs on one target: each condition names the other, no metric is queried and nothing is scaled", async () => {
  const { api, autoscaler } = await rig({
    before: (api) => {
      workload(api, "shop", { value: "100" });
      api.put("horizontalpodautoscalers", hpa("twin", { target: "shop" }));
    },
  });
  await autoscaler.sync();
  await autoscaler.sync();
  const scaled = writes(api).filter((line) => line.endsWith("/scale")).length;
  const asked = api.count("GET", /\/hits$/);
  await autoscaler.sync();
  expect(writes(api).filter((line) => line.endsWith("/scale"))).toHaveLength(scaled);
  expect(api.count("GET", /\/hits$/)).toBe(asked);
  for (const name of ["shop", "twin"]) {
    expect(api.get("horizontalpodautoscalers", "default", name).status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: "ScalingActive",
          status: "False",
          reason: "AmbiguousSelector",
          message: expect.stringContaining("default/shop default/twin"),
        }),
      ]),
    });
  }
  api.remove("horizontalpodautoscalers", "default", "twin");
  await eventually(async () => {
    await autoscaler.sync();
    expect(api.count("GET", /\/hits$/)).toBeGreaterThan(asked);
  });
});

test("outside its bounds an HPA is decided without asking for metrics", async () => {
  const { api, autoscaler } = await rig({ before: (api) => workload(api, "shop", { replicas: 12 }) });
  await autoscaler.sync();
  expect(api.count("GET", /\/hits$/)).toBe(0);
  expect(api.get("deployments", "default", "shop").spec).toMatchObject({ replicas: 10 });
});

test("an HPA edited while a metric is awaited is decided by its new bounds", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold, before: (api) => workload(api, "shop") });
  editWhile(api, { maxReplicas: 4 });
  await autoscaler.sync();
  expect(ofShop(inputs)[0]?.hpa.spec.maxReplicas).toBe(4);
});

test("an HPA whose metrics change while one is awaited has its metrics queried again", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold, before: (api) => workload(api, "shop") });
  editWhile(api, { metrics: [podsMetric("other"), podsMetric("hits")] });
  await autoscaler.sync();
  expect(ofShop(inputs)[0]?.samples).toHaveLength(2);
});

test("an HPA that is edited all the time is still decided, each time on answers to its own questions", async () => {
  const { api, inputs } = await rig({ decide: hold });
  let edits = 0;
  const edit = async () => {
    edits += 1;
    // A selector of its own, so that no earlier answer serves.
    const metrics = Array.from({ length: 1 + (edits % 3) }, () => podsMetric("hits", `${edits}`));
    api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
    await delivered(api);
    return undefined;
  };
  api.script("GET", /\/hits$/, edit, 9);
  workload(api, "shop");
  await eventually(() => expect(ofShop(inputs).length).toBeGreaterThanOrEqual(3));
  expect(edits).toBe(9);
  for (const { samples, hpa } of ofShop(inputs)) expect(samples).toHaveLength(hpa.spec.metrics?.length ?? 0);
});

test("an HPA deleted while a metric is awaited is not acted upon", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: wanting(() => 9),
    before: (api) => workload(api, "shop"),
  });
  api.script("GET", /\/hits$/, async () => {
    api.remove("horizontalpodautoscalers", "default", "shop");
    await delivered(api);
    return undefined;
  });
  await autoscaler.sync();
  expect(ofShop(inputs)).toEqual([]);
  expect(writes(api).filter((line) => line.includes("shop"))).toEqual([]);
});

test("an HPA deleted while its scale is read leaves no trace that makes others ambiguous", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold });
  api.script("GET", /\/shop\/scale$/, async () => {
    api.remove("horizontalpodautoscalers", "default", "shop");
    await delivered(api);
    return undefined;
  });
  workload(api, "shop");
  await eventually(() => expect(api.count("GET", /\/shop\/scale$/)).toBe(1));
  await delivered(api);
  api.put("horizontalpodautoscalers", hpa("heir", { target: "shop" }));
  await eventually(() => expect(autoscaler.decisions.of("default", "heir")).toHaveLength(1));
  const heir = inputs.find((input) => input.hpa.metadata?.name === "heir");
  expect(heir).toBeDefined();
  expect(heir?.ambiguousWith).toBeUndefined();
  expect(api.count("GET", /\/hits$/)).toBe(1);
});

/** Edits the HPA while the first metric call is under way, and waits until the edit has been seen. */
function editWhile(api: FakeApi, spec: object): void {
  api.script("GET", /\/hits$/, async () => {
    api.put("horizontalpodautoscalers", hpa("shop", { spec }));
    await delivered(api);
    return undefined;
  });
}

let markers = 0;

/** A new HPA is evaluated at once: when that happens, all changes before it have come through the watch. */
async function delivered(api: FakeApi): Promise<void> {
  markers += 1;
  const name = `marker-${markers}`;
  api.put("horizontalpodautoscalers", hpa(name));
  await eventually(() => expect(api.count("GET", new RegExp(`/${name}/scale$`))).toBeGreaterThan(0));
}

function ofShop(inputs: readonly DecideInput[]): readonly DecideInput[] {
  return inputs.filter((input) => input.hpa.metadata?.name === "shop");
}

test("a workload of many replicas keeps its scale's numbers apart: spec for now, status for what runs", async () => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      api.put("deployments", { ...deployment("shop", 7), status: { replicas: 4 } });
      api.put("horizontalpodautoscalers", hpa("shop"));
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.scale).toMatchObject({ specReplicas: 7, statusReplicas: 4 });
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

test("five hundred metrics are asked a few at a time", async () => {
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
