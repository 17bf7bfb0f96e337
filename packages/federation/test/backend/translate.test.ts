// A backend that serves one version of custom metrics, for clients that ask for the other.
import { systemClock } from "@plimsoll/component-base";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { inVersion, versionFor } from "../../src/backend/translate.ts";
import { resourceList, sendJson, startBackend } from "../fake/backend-server.ts";
import { entry, startFederation, summary } from "../fake/start-federation.ts";

const custom = "custom.metrics.k8s.io";
const pod = { kind: "Pod", namespace: "shop", name: "a", apiVersion: "/v1" };
const more = { timestamp: "2026-01-01T00:00:00Z", value: "1500m" };
const selector = { matchLabels: { code: "500" } };

const of = {
  v1beta1: {
    kind: "MetricValueList",
    apiVersion: `${custom}/v1beta1`,
    metadata: { selfLink: "x" },
    items: [
      { describedObject: pod, metricName: "rate", ...more, window: 60, selector },
      { describedObject: { ...pod, name: "b" }, metricName: "rate", ...more },
      { describedObject: { ...pod, name: "c" }, metricName: "rate", ...more },
    ],
  },
  v1beta2: {
    kind: "MetricValueList",
    apiVersion: `${custom}/v1beta2`,
    metadata: { selfLink: "x" },
    items: [
      { describedObject: pod, metric: { name: "rate", selector }, ...more, windowSeconds: 60 },
      { describedObject: { ...pod, name: "b" }, metric: { name: "rate" }, ...more },
      { describedObject: { ...pod, name: "c" }, metric: { name: "rate" }, ...more },
    ],
  },
};

/** Serves one version, as it is in `of`; metrics that begin with "no" are 404. */
async function start(only: keyof typeof of) {
  const status = { kind: "Status", code: 404, message: "not here" };
  const backend = await startBackend((request, response) => {
    const path = request.url ?? "";
    if (path === `/apis/${custom}/${only}`)
      return sendJson(response, resourceList(`${custom}/${only}`, ["pods/rate", "pods/nothing"]));
    const isHere = path.startsWith(`/apis/${custom}/${only}/`) && !path.includes("/no");
    return isHere ? sendJson(response, of[only]) : sendJson(response, status, 404);
  });
  const started = await startFederation(entry("cloud", backend.url, "", custom), { clock: systemClock });
  await until("its list was read", () => started.federation.note() === undefined);
  return { ...started, requests: backend.requests };
}

test.each([
  ["v1beta1", "v1beta2"],
  ["v1beta2", "v1beta1"],
] as const)("a backend that serves %s alone serves clients of %s too", async (served, wanted) => {
  const { get, requests } = await start(served);
  const result = await get(`${custom}/${wanted}/namespaces/shop/pods/*/rate?labelSelector=a%3Db`);
  if (typeof result === "string" || !result.ok) throw new Error(summary(result));
  expect([result.code, JSON.parse(result.body.toString())]).toEqual([200, of[wanted]]);
  expect(requests.at(-1)?.path).toBe(
    `/apis/${custom}/${served}/namespaces/shop/pods/*/rate?labelSelector=a%3Db`,
  );
});

test("an error is in its own words in each version, and an answer in the version that was asked for is as it was", async () => {
  const { get } = await start("v1beta1");
  expect(summary(await get(`${custom}/v1beta2/namespaces/shop/pods/*/nothing`))).toBe(
    '404 {"kind":"Status","code":404,"message":"not here"}',
  );
  expect(summary(await get(`${custom}/v1beta1/namespaces/shop/pods/*/rate`))).toBe(
    `200 ${JSON.stringify(of.v1beta1)}`,
  );
});

function list(items: string) {
  const body = Buffer.from(`{"kind":"MetricValueList","items":${items}}`);
  return { ok: true as const, code: 200, contentType: "application/json", retryAfter: undefined, body };
}

test("a selector that is null is none, as in Go, and an empty one stays", () => {
  const items = [{ metricName: "a", selector: null }, { metricName: "b", selector: {} }, { metricName: "c" }];
  const translated = inVersion(list(JSON.stringify(items)), custom, "v1beta2");
  expect(JSON.parse(translated?.body.toString() ?? "").items).toEqual([
    { metric: { name: "a" } },
    { metric: { name: "b", selector: {} } },
    { metric: { name: "c" } },
  ]);
});

test.each([
  ["null", "[null]"],
  ["a list", "[[]]"],
  ["a number", "[1]"],
  ["parts within parts, many thousands deep", `[{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}]`],
])("an answer with an item that is %s is refused, and not a crash", (_what, items) => {
  for (const version of ["v1beta1", "v1beta2"])
    expect(inVersion(list(items), custom, version)).toBeUndefined();
});

test("a backend whose items are nothing is named in the failure", async () => {
  const backend = await startBackend((request, response) => {
    const path = request.url ?? "";
    if (path === `/apis/${custom}/v1beta1`)
      return sendJson(response, resourceList(`${custom}/v1beta1`, ["pods/rate"]));
    if (path === `/apis/${custom}/v1beta2`) return sendJson(response, {}, 404);
    return sendJson(response, { kind: "MetricValueList", items: [null] });
  });
  const { get, federation } = await startFederation(entry("cloud", backend.url, "", custom), {
    clock: systemClock,
  });
  await until("its list was read", () => federation.note() === undefined);
  expect(summary(await get(`${custom}/v1beta2/namespaces/shop/pods/*/rate`))).toBe(
    "refused: backend cloud: its response can't be converted to v1beta2, the requested version",
  );
});

test("as long as it is unknown what is served, the version is that of the client", () => {
  expect(versionFor("v1beta2", [])).toBe("v1beta2");
  expect(versionFor("v1beta2", ["v1beta1"])).toBe("v1beta1");
  expect(versionFor("v1beta1", ["v1beta2", "v1beta1"])).toBe("v1beta1");
});
