import { manualClock } from "@plimsoll/component-base/testing";
import { ConnectionError, createEventRecorder, type KubeRequest } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { apiError, fakeClient } from "../fake/fake-client.ts";

const hpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  namespace: "shop",
  name: "web",
  uid: "u1",
};
const rescale = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 3" } as const;
const startMs = Date.parse("2026-01-02T03:04:05.678Z");

function recorder(answer: (request: KubeRequest) => unknown = () => ({})) {
  const clock = manualClock(startMs);
  const client = fakeClient(answer);
  const errors: unknown[] = [];
  const counted: Record<string, number> = {};
  const count = (what: string, events = 1) => {
    counted[what] = (counted[what] ?? 0) + events;
  };
  const events = createEventRecorder({
    client,
    component: "plimsoll",
    clock,
    random: () => 1,
    onError: (error) => errors.push(error),
    observer: {
      recorded: () => count("recorded"),
      combined: () => count("combined"),
      lost: count,
    },
  });
  return { clock, client, counted, errors, events };
}

test("an event becomes an Event object in the namespace of what it is about", async () => {
  const { client, events, errors } = recorder();
  events.record(hpa, rescale);
  await events.flush();
  expect(client.requests).toHaveLength(1);
  expect(client.requests[0]).toMatchObject({
    method: "POST",
    path: "/api/v1/namespaces/shop/events",
    body: {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]+$/) as string, namespace: "shop" },
      involvedObject: hpa,
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 3",
      source: { component: "plimsoll" },
      firstTimestamp: "2026-01-02T03:04:05Z",
      lastTimestamp: "2026-01-02T03:04:05Z",
      count: 1,
    },
  });
  expect(errors).toEqual([]);
});

test("a message is cut before it is compared and kept", async () => {
  const { client, events } = recorder();
  for (const end of ["a", "b", "c"])
    events.record(hpa, { ...rescale, message: `${"x".repeat(100_000)}${end}` });
  await events.flush();
  expect(client.requests.map(({ body }) => body)).toMatchObject([{ message: "x".repeat(1024), count: 3 }]);
});

test("the same event again counts up in the same object, another message is another object", async () => {
  const { client, clock, events } = recorder();
  events.record(hpa, rescale);
  await events.flush();
  await clock.advance(60_000);
  events.record(hpa, rescale);
  events.record(hpa, rescale);
  events.record(hpa, { ...rescale, message: "New size: 4" });
  events.record({ apiVersion: "v1", kind: "Node", name: "n1" }, rescale);
  await events.flush();
  expect(
    client.requests.map(({ method, path }) => `${method ?? ""} ${path.replace(/\.[0-9a-f]+$/, "")}`),
  ).toEqual([
    "POST /api/v1/namespaces/shop/events",
    "PATCH /api/v1/namespaces/shop/events/web",
    "POST /api/v1/namespaces/shop/events",
    "POST /api/v1/namespaces/default/events",
  ]);
  expect(client.requests[1]).toMatchObject({
    contentType: "application/merge-patch+json",
    body: { count: 3, lastTimestamp: "2026-01-02T03:05:05Z" },
  });
});

test("an Event that the server has dropped is created again with its count", async () => {
  const { client, events } = recorder(({ method }) => {
    if (method === "PATCH") throw apiError(404, "NotFound");
    return {};
  });
  events.record(hpa, rescale);
  await events.flush();
  events.record(hpa, rescale);
  await events.flush();
  expect(client.requests.map(({ method }) => method)).toEqual(["POST", "PATCH", "POST"]);
  expect(client.requests[2]?.body).toMatchObject({ count: 2, firstTimestamp: "2026-01-02T03:04:05Z" });
});

test("an object gets 25 events of a type at once and then one in five minutes", async () => {
  const { client, clock, events } = recorder();
  for (let i = 0; i < 60; i += 1) events.record(hpa, rescale);
  events.record(hpa, { ...rescale, type: "Warning" });
  events.record({ ...hpa, name: "other" }, rescale);
  await events.flush();
  expect(client.requests.map(({ body }) => (body as { count: number }).count)).toEqual([25, 1, 1]);
  await clock.advance(300_000);
  events.record(hpa, rescale);
  events.record(hpa, rescale);
  await events.flush();
  expect(client.requests.at(-1)?.body).toMatchObject({ count: 26 });
});

test("many messages of one reason share one object from the tenth on", async () => {
  const { client, events } = recorder();
  for (let i = 1; i <= 12; i += 1) events.record(hpa, { ...rescale, message: `New size: ${String(i)}` });
  await events.flush();
  const bodies = client.requests.map(({ body }) => body as { message: string; count: number });
  expect(bodies).toHaveLength(10);
  expect(bodies[9]).toMatchObject({ message: "(combined from similar events): New size: 12", count: 3 });
});

test("a server that is away for a moment gets the event later; what it refuses is logged and dropped", async () => {
  let failures = 2;
  const { client, clock, events, errors } = recorder(() => {
    failures -= 1;
    if (failures === 1) throw new ConnectionError("refused", "connection refused");
    if (failures === 0) throw apiError(429, "TooManyRequests", 5000);
    return {};
  });
  events.record(hpa, rescale);
  await clock.advance(1000);
  expect(client.requests).toHaveLength(2);
  await clock.advance(4999);
  expect(client.requests).toHaveLength(2);
  await clock.advance(1);
  expect(client.requests).toHaveLength(3);
  expect(errors).toEqual([]);

  const forbidden = recorder(() => {
    throw apiError(403, "Forbidden");
  });
  forbidden.events.record(hpa, rescale);
  await forbidden.clock.advance(60_000);
  expect(forbidden.client.requests).toHaveLength(1);
  expect(forbidden.errors).toHaveLength(1);
});

test("flush does not wait for a server that is gone", async () => {
  const { client, clock, events, errors } = recorder(() => {
    throw new ConnectionError("refused", "connection refused");
  });
  for (let i = 0; i < 5; i += 1) events.record({ ...hpa, name: `h${String(i)}` }, rescale);
  await clock.advance(0);
  expect(client.requests).toHaveLength(1);
  await events.flush();
  expect(client.requests).toHaveLength(2);
  expect(errors).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});

test("events of one namespace, however many, do not use up the limit of the others", async () => {
  const { client, events } = recorder();
  for (let i = 0; i < 30_000; i += 1) events.record({ ...hpa, namespace: "loud", name: `h${i}` }, rescale);
  for (let i = 0; i < 20; i += 1) events.record({ ...hpa, namespace: `quiet-${i}` }, rescale);
  await events.flush();
  const quiet = client.requests.filter(({ path }) => path.includes("/quiet-"));
  expect(quiet).toHaveLength(20);
});

test("ten thousand objects that scale at once have an Event each, and several are written at a time", async () => {
  let underWay = 0;
  let max = 0;
  const { client, events, counted } = recorder(async () => {
    underWay += 1;
    max = Math.max(max, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return {};
  });
  const record = (i: number) =>
    events.record({ ...hpa, namespace: `n${String(i % 200)}`, name: `h${String(i)}` }, rescale);
  for (let i = 0; i < 10_000; i += 1) record(i);
  // Twice while it waits: one Event with its count.
  for (let i = 0; i < 10_000; i += 100) record(i);
  expect(events.waiting).toBe(10_000);
  await events.flush();
  const counts = client.requests.map(({ body }) => (body as { count: number }).count);
  expect([counts.length, counts.reduce((sum, count) => sum + count, 0), events.waiting]).toEqual([
    10_000, 10_100, 0,
  ]);
  expect(counted).toEqual({ recorded: 10_100, combined: 100 });
  expect(max).toBe(10);
});

test("there is one write of an Event at a time: what happens meanwhile is written after it, once", async () => {
  const { client, clock, events } = recorder(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return {};
  });
  for (let i = 0; i < 1000; i += 1) events.record({ ...hpa, name: `h${String(i)}` }, rescale);
  await clock.advance(0);
  for (let i = 0; i < 3; i += 1) events.record({ ...hpa, name: "h0" }, rescale);
  await events.flush();
  const own = client.requests.filter(({ method, path, body }) =>
    method === "POST"
      ? (body as { involvedObject: { name: string } }).involvedObject.name === "h0"
      : path.includes("/h0."),
  );
  expect(own.map(({ method, body }) => [method, (body as { count: number }).count])).toEqual([
    ["POST", 1],
    ["PATCH", 4],
  ]);
});

test("an event that is recorded at any moment around the end of the last write is written, too", async () => {
  for (let turns = 0; turns < 16; turns += 1) {
    const { client, events } = recorder(async ({ body }) => {
      if ((body as { involvedObject: { name: string } }).involvedObject.name === "web") void recordLater();
      return Promise.resolve({});
    });
    const recordLater = async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      events.record({ ...hpa, name: "later" }, rescale);
    };
    events.record(hpa, rescale);
    await new Promise((resolve) => setImmediate(resolve));
    expect([turns, client.requests.length, events.waiting]).toEqual([turns, 2, 0]);
  }
});

test("each event that is recorded is in the count of an Event, or in that of what is lost", async () => {
  let requests = 0;
  const written = new Map<string, number>();
  const { events, counted } = recorder(({ method, path, body }) => {
    requests += 1;
    if (requests % 7 === 0) throw apiError(403, "Forbidden");
    const { metadata, count } = body as {
      readonly metadata?: { readonly name: string };
      readonly count: number;
    };
    written.set(method === "POST" ? (metadata?.name ?? "") : (path.split("/").at(-1) ?? ""), count);
    return {};
  });
  for (let i = 0; i < 20_000; i += 1) {
    const event = { ...rescale, message: `New size: ${String(i % 13)}` };
    events.record({ ...hpa, name: `h${String((i * 7919) % 500)}` }, event);
    if (i % 2000 === 0) await events.flush();
  }
  await events.flush();
  const inEvents = [...written.values()].reduce((sum, count) => sum + count, 0);
  const { recorded = 0, rate_limited: limited = 0, write_failed: failed = 0 } = counted;
  expect([recorded, limited > 0, failed > 0]).toEqual([20_000, true, true]);
  // An Event that is written after a failure has the events of both in its count.
  expect(inEvents + limited + failed).toBeGreaterThanOrEqual(recorded);
  expect(inEvents + limited).toBeLessThanOrEqual(recorded);
});

test("recording never throws, and a queue that is full loses events but says so", async () => {
  const { client, events, errors, counted } = recorder();
  for (let i = 0; i < 15_000; i += 1) events.record({ ...hpa, name: `h${String(i)}` }, rescale);
  await events.flush();
  expect(client.requests).toHaveLength(10_001);
  expect(errors.map(String)).toEqual(["Error: 4999 events were dropped: too many wait to be written"]);
  expect(counted).toEqual({ recorded: 15_000, queue_full: 4999 });
  const broken = {
    get namespace(): string {
      throw new Error("odd");
    },
  };
  expect(() => events.record(broken, rescale)).not.toThrow();
});
