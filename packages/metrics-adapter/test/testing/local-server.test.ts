// The local server gives what the process gives over a connection.
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, onTestFinished, test } from "vitest";
import { createLocalServer, type LocalResponse, type LocalServer } from "../../src/testing/local-server.ts";
import { type FakeEngine, fakeEngine, podValue, recordingLog } from "../http/fakes.ts";
import { askAs, startAdapter } from "../http/harness.ts";

const pods = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second";

function localServer(engine: FakeEngine, maxRequestsInFlight = 400) {
  const clock = manualClock(1_000_000);
  const log = recordingLog();
  let ids = 0;
  const newId = (): string => `id-${String(++ids)}`;
  const server = createLocalServer({ engine, clock, log, maxRequestsInFlight, newId });
  return { server, clock, log };
}

function get(server: LocalServer, url: string, signal?: AbortSignal): Promise<LocalResponse> {
  return server({ method: "GET", url, headers: {} }, signal);
}

test.for([
  pods,
  "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/*/packets-per-second?labelSelector=a%3Db",
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth",
  "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
  "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/api-1?pretty=1",
  "/apis/custom.metrics.k8s.io/v1beta2",
  "/apis",
  "/apis/unknown.k8s.io/v1/namespaces/default/pods",
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/x?timeout=nonsense",
])("%s is responded to as over a connection", async (path) => {
  const engine = fakeEngine();
  const harness = await startAdapter({ engine });
  onTestFinished(() => harness.adapter.stop());
  const there = await askAs(harness, path);
  const here = await get(localServer(engine).server, path);
  expect({ code: here.code, body: here.body.replaceAll(/"creationTimestamp":\s*"[^"]*"/g, "") }).toEqual({
    code: there.code,
    body: there.text.replaceAll(/"creationTimestamp":\s*"[^"]*"/g, ""),
  });
  expect(here.headers["Content-Type"]).toBe(there.headers["content-type"]);
  expect(here.headers["Audit-Id"]).toBe("id-1");
});

test("a response is cached while it is fresh", async () => {
  const engine = fakeEngine();
  const { server } = localServer(engine);
  let isFresh = true;
  const freshness = { isFresh: () => isFresh, reused: () => {} };
  engine.onCustom = () => ({ ok: true, value: [podValue("router-1", "1k")], freshness });
  for (let times = 0; times < 4; times += 1) await get(server, pods);
  expect(engine.queries.length).toBe(2);
  isFresh = false;
  await get(server, pods);
  expect(engine.queries.length).toBe(3);
});

test("a request ends at its deadline", async () => {
  const engine = fakeEngine();
  const { server, clock } = localServer(engine);
  engine.onCustom = () => new Promise(() => {});
  const pending = get(server, `${pods}?timeout=3s`);
  await clock.advance(3_000);
  expect((await pending).code).toBe(504);
  expect(clock.pendingTimers).toBe(0);
});

test("what works for a caller ends when it goes away, and its place is free", async () => {
  const engine = fakeEngine();
  const { server } = localServer(engine, 1);
  let signal: AbortSignal | undefined;
  engine.onCustom = (query) => {
    signal = query.signal();
    return new Promise(() => {});
  };
  const caller = new AbortController();
  const left = get(server, pods, caller.signal);
  expect((await get(server, pods)).code).toBe(429);
  caller.abort();
  expect(signal?.aborted).toBe(true);
  engine.onCustom = () => ({ ok: true, value: [] });
  await new Promise((resolve) => setImmediate(resolve));
  expect((await get(server, pods)).code).toBe(200);
  expect(await Promise.race([left, Promise.resolve("no response")])).toBe("no response");
});

test("a provider that throws gives a 500, which is logged", async () => {
  const engine = fakeEngine();
  const { server, log } = localServer(engine);
  engine.onCustom = () => {
    throw new Error("bug");
  };
  expect((await get(server, pods)).code).toBe(500);
  expect(log.lines.map(({ level, message }) => [level, message])).toEqual([["error", "request failed"]]);
});
