// When nothing is sent to a backend, and what ends that: neither waits for a caller, and no caller decides it alone.
import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type BackendResult, failure } from "../../src/backend/answer.ts";
import { createBreaker } from "../../src/backend/breaker.ts";
import { externalAdapter, resourceList, sendJson, startBackend } from "../fake/backend-server.ts";
import { entry, type Started, startFederation, summary } from "../fake/start-federation.ts";

const external = "external.metrics.k8s.io";
const all = ', match: {metrics: ["*"]}';
const metric = `${external}/v1beta1/namespaces/shop/queue`;
const open = /^open: backend keda: its last \d+ requests failed: .*; retrying soon$/;

/** A request whose caller leaves after a time. */
async function leaveAfter(ms: number, { get, requests, clock }: ReturnType<typeof seams>): Promise<string> {
  const caller = new AbortController();
  const before = requests().length;
  const result = get(metric, { signal: caller.signal });
  await until("it is in flight", () => requests().length > before);
  await clock.advance(ms);
  caller.abort();
  return summary(await result);
}

function seams(
  { get }: Started,
  backend: Awaited<ReturnType<typeof startBackend>>,
  clock: ReturnType<typeof manualClock>,
) {
  const requests = () => backend.requests.filter(({ path }) => path.includes("namespaces"));
  return { get, requests, clock };
}

test("the circuit of a backend that was down is closed as soon as its list is read, without a request for a metric", async () => {
  const clock = manualClock(1_000_000);
  let isDown = true;
  const backend = await startBackend((request, response) => {
    if (isDown) request.socket.destroy();
    else externalAdapter("queue")(request, response);
  });
  const { federation, get, registry } = await startFederation(entry("keda", backend.url, all, external), {
    clock,
  });
  for (let round = 0; round < 3; round += 1) await get(metric);
  expect(federation.note()).toMatch(/^backends that are down: keda: its last 3 requests failed: .+/);
  isDown = false;
  await clock.advance(60_000);
  await until("its list was read", () => federation.rows(external).size === 1);
  expect(federation.note()).toBeUndefined();
  expect(await registry.metrics()).toContain('plimsoll_adapter_backend_circuit_open{backend="keda"} 0');
  expect(summary(await get(metric))).toContain("200 ");
});

test("a backend that lists metrics and fails for each of them gets fewer and fewer requests", async () => {
  const clock = manualClock(1_000_000);
  const backend = await startBackend((request, response) => {
    if (!(request.url ?? "").includes("namespaces"))
      sendJson(response, resourceList(`${external}/v1beta1`, ["queue"]));
    else request.socket.destroy();
  });
  const { federation, get, registry } = await startFederation(entry("keda", backend.url, all, external), {
    clock,
  });
  await until("its list was read", () => federation.note() === undefined);
  const listedAt = async () =>
    /backend_last_discovery_timestamp_seconds\{\S+ (\S+)/.exec(await registry.metrics())?.[1];
  const pauses: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (let one = 0; one < 3; one += 1) expect(summary(await get(metric))).toContain("unreachable: ");
    let seconds = 0;
    for (; open.test(summary(await get(metric))); seconds += 1) await clock.advance(1_000);
    pauses.push(seconds);
    const before = await listedAt();
    await clock.advance(60_000);
    while ((await listedAt()) === before) await clock.advance(0);
  }
  // The one request after a pause fails as well, and doubles the next pause.
  expect(pauses).toEqual([1, 4, 16, 30]);
});

test("answers that are too long open the circuit, and its list does not close it when that is too long as well", async () => {
  const clock = manualClock(1_000_000);
  let isLong = true;
  const backend = await startBackend((request, response) => {
    if (!isLong) return externalAdapter("queue")(request, response);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100000000" });
    response.flushHeaders();
  });
  const { get, federation } = await startFederation(entry("keda", backend.url, all, external), { clock });
  for (let one = 0; one < 3; one += 1)
    expect(summary(await get(metric))).toBe(
      "refused: backend keda: its response has more than 2097152 bytes",
    );
  expect(summary(await get(metric))).toBe(
    "open: backend keda: its last 3 requests failed: its response has more than 2097152 bytes; retrying soon",
  );
  const lists = () => backend.requests.filter(({ path }) => !path.includes("namespaces")).length;
  const before = lists();
  await clock.advance(60_000);
  await until("its list is requested", () => lists() > before);
  expect(federation.note()).toContain("its last 3 requests failed");
  isLong = false;
  await clock.advance(60_000);
  expect(summary(await get(metric))).toContain("200 ");
});

test("an error that is too long counts as well, and errors that are not do not", async () => {
  const clock = manualClock(1_000_000);
  let length = 70_000;
  const backend = await startBackend((_request, response) =>
    sendJson(response, { kind: "Status", message: "a".repeat(length) }, 500),
  );
  const { get } = await startFederation(entry("keda", backend.url, all, external), { clock });
  for (let one = 0; one < 3; one += 1)
    expect(summary(await get(metric))).toBe("refused: backend keda: its response has more than 65536 bytes");
  expect(summary(await get(metric))).toMatch(open);
  length = 10;
  await clock.advance(60_000);
  for (let one = 0; one < 4; one += 1) expect(summary(await get(metric))).toContain("500 ");
});

test("callers that leave a slow backend early open no circuit: it answers the next one", async () => {
  const clock = manualClock(1_000_000);
  let release = (): void => {};
  const backend = await startBackend((request, response) => {
    const isSlow = (request.url ?? "").includes("namespaces");
    if (isSlow) release = () => externalAdapter("queue")(request, response);
    else externalAdapter("queue")(request, response);
  });
  const started = await startFederation(entry("keda", backend.url, all, external), { clock });
  const slow = seams(started, backend, clock);
  for (let round = 0; round < 5; round += 1) {
    expect(await leaveAfter(3_000, slow)).toBe(
      "timeout: backend keda: it did not respond within 3000 ms, its caller's timeout",
    );
    // The first of them is still waited for, and answers within the time that a backend has.
    if (round === 0) release();
  }
  expect(started.federation.note()).toBeUndefined();
  const last = started.get(metric);
  await until("it is in flight", () => slow.requests().length === 6);
  release();
  expect(summary(await last)).toContain("200 ");
});

test("callers with little time do not hide that a backend is silent", async () => {
  const clock = manualClock(1_000_000);
  const backend = await startBackend(() => {});
  const started = await startFederation(entry("keda", backend.url, all), { clock });
  const silent = seams(started, backend, clock);
  // Each third of them is the one that is waited for: for ten seconds.
  for (let round = 0; round < 9; round += 1) expect(await leaveAfter(3_000, silent)).toContain("timeout: ");
  await clock.advance(1_000);
  expect(summary(await started.get(metric))).toMatch(open);
  expect(started.federation.note()).toContain("keda: its last 3 requests failed: it did not respond");
});

test("of the requests whose callers left, one is waited for, and the others end at once", async () => {
  const clock = manualClock(1_000_000);
  const backend = await startBackend(() => {});
  const started = await startFederation(entry("keda", backend.url, `${all}, limits: {concurrency: 4}`), {
    clock,
  });
  const callers = Array.from({ length: 4 }, () => new AbortController());
  const waiting = callers.map(({ signal }) => started.get(metric, { signal }));
  const { requests } = seams(started, backend, clock);
  await until("all are in flight", () => requests().length === 4);
  for (const caller of callers) caller.abort();
  for (const result of await Promise.all(waiting))
    expect(summary(result)).toBe("canceled: backend keda: its caller disconnected");
  // That of the list, and the one that is waited for.
  await until("the connections of the others are closed", () => backend.sockets.size === 2);
  const more = [started.get(metric), started.get(metric), started.get(metric)];
  expect(summary(await started.get(metric))).toContain("busy: ");
  await clock.advance(10_000);
  for (const result of await Promise.all(more)) expect(summary(result)).toContain("timeout: ");
});

test("a request whose caller has left before is not sent", async () => {
  const backend = await startBackend(externalAdapter());
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: manualClock(1_000_000) });
  expect(summary(await get(metric, { signal: AbortSignal.abort() }))).toBe(
    "canceled: backend keda: its caller disconnected",
  );
  expect(backend.requests.filter(({ path }) => path.includes("namespaces"))).toEqual([]);
});

test("there is one try at a time, also when the circuit was closed and opened again meanwhile", async () => {
  const clock = manualClock(1_000_000);
  const breaker = createBreaker(clock);
  const fail = () => breaker.run(async () => failure("unreachable", "x"));
  const ends: ((result: BackendResult) => void)[] = [];
  const hang = () => breaker.run(() => new Promise<BackendResult>((resolve) => void ends.push(resolve)));
  for (let round = 0; round < 3; round += 1) await fail();
  await clock.advance(30_000);
  const first = hang();
  breaker.responded();
  for (let round = 0; round < 3; round += 1) await fail();
  await clock.advance(30_000);
  expect(await hang()).toMatchObject({ kind: "open" });
  expect(ends).toHaveLength(1);
  for (const end of ends) end(failure("timeout", "x"));
  expect(await first).toMatchObject({ kind: "timeout" });
});
