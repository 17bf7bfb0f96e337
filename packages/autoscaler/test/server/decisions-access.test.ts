import { X509Certificate } from "node:crypto";
import { manualClock } from "@plimsoll/component-base/testing";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createRows } from "../../src/decisions/rows.ts";
import { createAnnouncer } from "../../src/server/announcer.ts";
import { createServing } from "../../src/server/serving.ts";
import { createMetricsPages } from "../../src/telemetry/metrics-page.ts";
import { failure } from "../fake-api.ts";
import { hold, rig, workload } from "../harness.ts";
import { get, reviews, secure, serving } from "./https-callers.ts";

const shop = "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop";
const guarded = [shop, "/apis/decisions/v1", "/apis/shadow/v1", "/apis/shadow/v1/report", "/metrics"];

test("only a user who may get the object may read its decisions", async () => {
  const { api, autoscaler, securePort } = await rig({
    decide: hold,
    config: { serving },
    before: (api) => {
      workload(api, "shop");
      reviews(api, (user, what) => {
        if (user !== "reader") return false;
        return what.verb === "get" && what.resource === "horizontalpodautoscalers" && what.name === "shop";
      });
    },
  });
  await autoscaler.sync();
  const allowed = await get(securePort, shop, "reader");
  expect([allowed.code, (JSON.parse(allowed.body) as { items: unknown[] }).items.length]).toEqual([200, 1]);
  const denied = await get(securePort, shop, "mallory");
  expect([denied.code, JSON.parse(denied.body)]).toMatchObject([
    403,
    {
      kind: "Status",
      reason: "Forbidden",
      message:
        'User "mallory" cannot get resource "horizontalpodautoscalers" in API group "autoscaling" in the namespace "default"',
    },
  ]);
  for (const path of guarded) {
    expect([path, (await get(securePort, path)).code]).toEqual([path, 401]);
    expect([path, (await get(securePort, path, "x y")).code]).toEqual([path, 401]);
    const code = path === shop ? 200 : 403;
    expect([path, (await get(securePort, path, "reader")).code]).toEqual([path, code]);
  }
  // The same question is not asked twice while its response is fresh.
  const before = api.count("POST", /reviews$/);
  for (let n = 0; n < 5; n++) await get(securePort, shop, "reader");
  expect(api.count("POST", /reviews$/)).toBe(before);
  expect(api.requests.find(({ path }) => path.endsWith("/subjectaccessreviews"))?.body).toMatchObject({
    spec: {
      user: "reader",
      groups: ["system:authenticated"],
      resourceAttributes: {
        verb: "get",
        group: "autoscaling",
        resource: "horizontalpodautoscalers",
        namespace: "default",
        name: "shop",
      },
    },
  });
});

test("the list shows the kinds that the caller may list in all namespaces", async () => {
  const { autoscaler, securePort } = await rig({
    decide: hold,
    config: { serving },
    before: (api) => {
      workload(api, "shop");
      const native = api.get("horizontalpodautoscalers", "default", "shop");
      api.put("workloadautoscalers", { ...native, metadata: { name: "other", namespace: "default" } });
      reviews(api, (user, { verb, resource, namespace, path }) => {
        if (user === "scraper") return path === "/metrics";
        return verb === "list" && namespace === undefined && (user === "admin" || resource === `${user}s`);
      });
    },
  });
  await autoscaler.sync();
  const seen = async (user: string) => {
    const { items } = JSON.parse((await get(securePort, "/apis/decisions/v1", user)).body) as {
      items: { name: string }[];
    };
    return items.map(({ name }) => name).sort();
  };
  expect(await seen("admin")).toEqual(["other", "shop"]);
  expect(await seen("horizontalpodautoscaler")).toEqual(["shop"]);
  expect(await seen("workloadautoscaler")).toEqual(["other"]);
  expect((await get(securePort, "/apis/shadow/v1", "horizontalpodautoscaler")).code).toBe(200);
  expect((await get(securePort, "/apis/shadow/v1", "workloadautoscaler")).code).toBe(403);
  expect((await get(securePort, "/metrics", "scraper")).body).toContain("plimsoll_");
  expect((await get(securePort, "/metrics", "admin")).code).toBe(403);
});

test("health is open; without a response of the API server nothing else is", async () => {
  const { api, autoscaler, securePort } = await rig({
    decide: hold,
    config: { serving },
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  for (const path of ["/healthz", "/livez", "/readyz"]) {
    expect([path, (await get(securePort, path)).code]).toEqual([path, 200]);
  }
  api.script("POST", /\/tokenreviews$/, () => failure(503, "ServiceUnavailable", "starting"));
  expect((await get(securePort, shop, "reader")).code).toBe(503);
  reviews(api, () => true);
  expect((await get(securePort, shop, "reader")).code).toBe(200);
});

test("a token that the API server does not take is not valid, whatever it says with that", async () => {
  const { autoscaler, securePort } = await rig({
    decide: hold,
    config: { serving },
    before: (api) => {
      workload(api, "shop");
      reviews(api, () => true);
    },
  });
  await autoscaler.sync();
  const { code, body } = await get(securePort, shop, "");
  expect([code, JSON.parse(body)]).toMatchObject([
    401,
    { kind: "Status", reason: "Unauthorized", message: "the token is invalid" },
  ]);
});

test("a review of access that fails allows nothing", async () => {
  const { autoscaler, securePort } = await rig({
    decide: hold,
    config: { serving },
    before: (api) => {
      workload(api, "shop");
      api.script("POST", /\/subjectaccessreviews$/, () => failure(500, "InternalError", "broken"), 99);
      reviews(api, () => true);
    },
  });
  await autoscaler.sync();
  const { code, body } = await get(securePort, shop, "reader");
  expect([code, JSON.parse(body)]).toMatchObject([503, { reason: "ServiceUnavailable" }]);
});

test("the plain port serves health and metrics only, unless a flag adds decisions", async () => {
  const { autoscaler, url } = await rig({
    decide: hold,
    config: { serving: { ...serving, secure: undefined } },
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  for (const path of ["/healthz", "/livez", "/readyz", "/metrics"]) {
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  }
  for (const path of guarded.filter((path) => path !== "/metrics")) {
    const answer = await fetch(`${url}${path}`);
    expect([path, answer.status]).toEqual([path, 403]);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining("--secure-port") });
  }
});

test("headers above the limit get a Status that names it", async () => {
  const { url } = await rig({ decide: hold, config: { serving: { ...serving, secure: undefined } } });
  const answer = await fetch(`${url}/healthz`, { headers: { "X-Big": "a".repeat(70_000) } });
  expect(answer.status).toBe(431);
  const message: unknown = expect.stringContaining("larger than 65536 bytes");
  expect(await answer.json()).toMatchObject({ kind: "Status", code: 431, message });
});

test("a certificate that is replaced is shown to new connections, and one that does not fit is not", async () => {
  const [first, second] = await Promise.all([
    generateServingCertificate(["one"], Date.now()),
    generateServingCertificate(["two"], Date.now()),
  ]);
  let files: Readonly<Record<string, string>> = { c: first.certPem, k: first.keyPem };
  const clock = manualClock(Date.now());
  const problems: string[] = [];
  const ignore = (): void => {};
  const registry = new Registry();
  const { listen, close } = createServing(
    { ...serving, secure: { ...secure, files: { certFile: "c", keyFile: "k" } } },
    {
      client: {
        server: "",
        request: () => Promise.reject(new Error("no request is expected")),
        stream: () => Promise.reject(new Error("no request is expected")),
        close: () => Promise.resolve(),
      },
      clock,
      log: { debug: ignore, info: ignore, warn: ignore, error: (_, message) => problems.push(message) },
      readText: (path) => Promise.resolve(files[path] ?? ""),
      hostnames: [],
      readiness: () => [],
      registry,
      metrics: createMetricsPages(registry, []),
      decisions: { of: () => [], latest: () => [], records: () => [], rows: createRows(() => true) },
      hasInputs: true,
      holders: () => ({ isSelf: true, others: [], silent: [], vacant: undefined }),
      announcer: createAnnouncer("one", undefined),
      shadow: () => {
        throw new Error("no call is expected");
      },
    },
  );
  const { securePort = 0 } = await listen();
  try {
    const shown = async () => (await get(securePort, "/livez")).fingerprint;
    const before = await shown();
    expect(before).toBe(new X509Certificate(first.certPem).fingerprint256);
    files = { c: second.certPem, k: first.keyPem };
    await clock.advance(10_000);
    expect([problems.length, await shown()]).toEqual([1, before]);
    files = { c: second.certPem, k: second.keyPem };
    await clock.advance(10_000);
    expect(await shown()).toBe(new X509Certificate(second.certPem).fingerprint256);
  } finally {
    await close();
  }
});
