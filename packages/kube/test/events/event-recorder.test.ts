import { ConnectionError } from "@plimsoll/kube";
import { apiError } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { hpa, recorder, rescale } from "./recorder-rig.ts";

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

test("events of one moment have different names, also for an object with a long name", async () => {
  const { client, events } = recorder();
  const name = "w".repeat(253);
  for (const message of ["New size: 3", "New size: 4"])
    events.record({ ...hpa, name }, { ...rescale, message });
  await events.flush();
  const names = client.requests.map(
    ({ body }) => (body as { readonly metadata: { readonly name: string } }).metadata.name,
  );
  expect(new Set(names).size).toBe(2);
  for (const one of names) expect(one).toMatch(/^w+\.[0-9a-f]+$/);
  expect(names.map((one) => one.length)).toEqual([253, 253]);
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

test("an Event whose response was lost is updated, not given up", async () => {
  const stored = new Map<string, number>();
  let isLost = true;
  const { client, clock, counted, events, errors } = recorder(({ method, path, body }) => {
    const { count, metadata } = body as { count: number; metadata?: { name: string } };
    const name = metadata?.name ?? path.split("/").at(-1) ?? "";
    if (method === "POST" && stored.has(name)) throw apiError(409, "AlreadyExists");
    stored.set(name, count);
    if (!isLost) return {};
    isLost = false;
    throw new ConnectionError("reset", "socket hang up");
  });
  events.record(hpa, rescale);
  await clock.advance(60_000);
  for (let i = 0; i < 10; i += 1) {
    events.record(hpa, rescale);
    await events.flush();
  }
  expect(client.requests.map(({ method }) => method).slice(0, 3)).toEqual(["POST", "POST", "PATCH"]);
  expect([...stored.values()]).toEqual([11]);
  expect(counted["write_failed"]).toBeUndefined();
  expect(errors).toEqual([]);
});

test("a 409 of a quota or a webhook stores nothing: the Event is created once that has passed", async () => {
  let refused = 2;
  const { client, clock, counted, events, errors } = recorder(({ method }) => {
    if (method === "POST" && refused-- > 0) throw apiError(409, "Conflict");
    return {};
  });
  events.record(hpa, rescale);
  await clock.advance(60_000);
  expect(client.requests.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
  expect(counted["write_failed"]).toBeUndefined();
  expect(errors).toEqual([]);
  refused = Number.POSITIVE_INFINITY;
  events.record({ ...hpa, name: "other" }, rescale);
  await clock.advance(120_000);
  expect(client.requests.filter(({ method }) => method === "PATCH")).toEqual([]);
  expect(counted["write_failed"]).toBe(1);
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
