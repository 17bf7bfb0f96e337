import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Reply } from "../../src/api/reply.ts";
import { createRequestReader, type RequestInfo } from "../../src/api/request-info.ts";
import { createResponseCache } from "../../src/http/response-cache.ts";
import { fakeEngine, podValue } from "./fakes.ts";
import { askAs, type Harness, startAdapter } from "./harness.ts";

const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/m";
const read = createRequestReader();

function infoOf(target: string): RequestInfo {
  const parsed = read("GET", target);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.info;
}

/** A reply that counts how often it is written. */
function counted() {
  const state = { holds: true, reused: 0, written: 0 };
  const reply: Reply = {
    type: "metrics",
    object: () => ({ n: ++state.written }),
    table: () => {
      throw new Error("no table was requested");
    },
    items: 1,
    freshness: { isFresh: () => state.holds, reused: () => void state.reused++ },
  };
  return { state, reply };
}

function cacheWith(options: { maxBytes?: number } = {}) {
  const clock = manualClock(0);
  return { clock, cache: createResponseCache({ nowMs: () => clock.nowMs(), ...options }) };
}

test("the same request in the same words is one object, with another method it is another", () => {
  expect(infoOf(path)).toBe(infoOf(path));
  const head = read("HEAD", path);
  expect(head.ok && head.info.method).toBe("HEAD");
  expect(infoOf(path).method).toBe("GET");
});

test("does no work on a response that is not fresh when it comes", () => {
  const { cache } = cacheWith();
  const { state, reply } = counted();
  const info = infoOf(path);
  state.holds = false;
  for (let times = 0; times < 3; times += 1) {
    expect(cache.find(info)).toBeUndefined();
    expect(cache.offer(info, reply)).toBe(reply);
  }
  expect(state.written).toBe(0);
});

test("caches responses of repeated requests within their max age, and serializes them once", () => {
  const { cache } = cacheWith();
  const { state, reply } = counted();
  const info = infoOf(path);
  expect(cache.offer(info, reply)).toBe(reply);
  expect(cache.find(info)).toBeUndefined();
  const offered = cache.offer(info, reply);
  const found = cache.find(info);
  expect(found).toBe(offered);
  if (found?.type !== "metrics") throw new Error("not kept");
  expect([found.body?.(), found.body?.(), state.written, state.reused]).toEqual([
    '{"n":1}\n',
    '{"n":1}\n',
    1,
    1,
  ]);
  expect(cache.find(infoOf(`${path}?limit=5`))).toBeUndefined();
  state.holds = false;
  expect(cache.find(info)).toBeUndefined();
  state.holds = true;
  expect(cache.find(info)).toBeUndefined();
});

test("caches nothing for rare requests, and nothing of unknown age", async () => {
  const { clock, cache } = cacheWith();
  const { reply } = counted();
  const info = infoOf(path);
  for (let turn = 0; turn < 3; turn++) {
    cache.offer(info, reply);
    expect(cache.find(info)).toBeUndefined();
    await clock.advance(15_000);
  }
  const ageless = { ...reply, freshness: undefined };
  cache.offer(info, ageless);
  cache.offer(info, ageless);
  expect(cache.find(info)).toBeUndefined();
});

test("keeps no more than fits", () => {
  const { cache } = cacheWith({ maxBytes: 3_500 });
  const put = (target: string, length = 100): void => {
    const { reply } = counted();
    const written = { ...reply, json: () => "x".repeat(length) };
    cache.offer(infoOf(target), written);
    cache.offer(infoOf(target), written);
  };
  const known = () =>
    ["/a", "/b", "/c", "/d", "/e", "/f", "/big", "/huge"].filter(
      (target) => cache.find(infoOf(target)) !== undefined,
    );
  for (const target of ["/a", "/b", "/c", "/d", "/e", "/f"]) put(target);
  expect(known()).toEqual(["/b", "/c", "/d", "/e", "/f"]);
  put("/big", 500);
  expect(known()).toEqual([expect.any(String), "/big"]);
  put("/huge", 1_000);
  expect(known()).toEqual([expect.any(String), "/big"]);
});

let harness: Harness;
let holds = true;
let given = 0;

beforeAll(async () => {
  harness = await startAdapter({ flags: ["--authorization-webhook-cache-authorized-ttl=1ms"] });
});
afterAll(async () => {
  await harness.adapter.stop();
});
beforeEach(() => {
  holds = true;
  given = 0;
  harness.engine.queries.length = 0;
  const freshness = { isFresh: () => holds, reused: () => void given++ };
  const names = Array.from({ length: 100 }, (_, at) => `pod-${at}`);
  harness.engine.onCustom = async () => ({
    ok: true,
    value: names.map((name) => podValue(name, "1")),
    freshness,
  });
  harness.engine.onPods = async (query) => ({ ...(await fakeEngine().onPods(query)), freshness });
});

const forms = [
  ["as JSON", {}],
  ["indented", { "User-Agent": "curl/8" }],
  ["as YAML", { Accept: "application/yaml" }],
  ["as a table", { Accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }],
] as const;

test.each(forms)("a cached response has the bytes of a new one: %s", async (_, headers) => {
  for (const target of [path, path.replace("v1beta2", "v1beta1")]) {
    const url = `${target}?form=${encodeURIComponent(JSON.stringify(headers))}`;
    const answers = [];
    for (let turn = 0; turn < 4; turn++) answers.push(await askAs(harness, url, { headers }));
    const [first, ...others] = answers.map(({ code, text, headers: sent }) => {
      const { date: _date, "audit-id": _id, ...rest } = sent;
      return { code, text, rest };
    });
    for (const other of others) expect(other).toEqual(first);
    expect(first?.code).toBe(200);
  }
  expect(harness.engine.queries).toHaveLength(4);
  expect(given).toBe(4);
});

test("a response that is no longer fresh is requested again", async () => {
  const url = `${path}?turn=a`;
  for (let turn = 0; turn < 3; turn++) await askAs(harness, url);
  expect(harness.engine.queries).toHaveLength(2);
  holds = false;
  const freshness = { isFresh: () => true, reused: () => undefined };
  harness.engine.onCustom = async () => ({ ok: true, value: [podValue("new", "2")], freshness });
  expect((await askAs(harness, url)).text).toContain('"name":"new"');
});

test("a cached response is served only to those who are allowed, is logged and is counted", async () => {
  const url = `${path}?turn=b`;
  const ann = { user: "ann", groups: ["team"] };
  const asked = harness.kube.accessReviews.length;
  for (let turn = 0; turn < 3; turn++) await askAs(harness, url, ann);
  expect(harness.engine.queries).toHaveLength(2);
  expect(harness.kube.accessReviews.length).toBeGreaterThan(asked);
  harness.kube.onAccessReview = async ({ user }) => ({ allowed: user !== "eve" });
  expect((await askAs(harness, url, { user: "eve", groups: ["team"] })).code).toBe(403);
  harness.kube.onAccessReview = async () => ({ allowed: true });
  const counted = async () =>
    Number(
      /requests_total\{api="custom",verb="get",code="200"\} (\d+)/.exec(
        (await askAs(harness, "/metrics")).text,
      )?.[1],
    );
  const before = await counted();
  expect((await askAs(harness, url, { headers: { "Audit-Id": "kept-last" } })).headers["audit-id"]).toBe(
    "kept-last",
  );
  expect(await counted()).toBe(before + 1);
  await until("the kept answer is logged", () =>
    harness.log.lines.some(({ fields }) => fields["auditId"] === "kept-last" && fields["code"] === 200),
  );
  expect((await askAs(harness, `${url}&timeout=x`)).code).toBe(400);
});

test("new providers do not serve cached responses of the old ones", async () => {
  const url = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
  for (let turn = 0; turn < 3; turn++) await askAs(harness, url);
  expect(harness.engine.queries).toHaveLength(2);
  const { resource } = harness.engine;
  Object.assign(harness.engine, { resource: { ...resource } });
  await askAs(harness, url);
  expect(harness.engine.queries).toHaveLength(3);
});
