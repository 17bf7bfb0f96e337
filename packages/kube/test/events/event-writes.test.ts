// Writes of Events: one at a time, none lost.
import { registerSecret } from "@plimsoll/core/redact";
import { ConnectionError } from "@plimsoll/kube";
import { apiError } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { hpa, recorder, rescale } from "./recorder-rig.ts";

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

test("an Event whose write takes long is not written by another worker meanwhile", async () => {
  let answerFirst: (() => void) | undefined;
  const { client, clock, events } = recorder(({ method, body }) => {
    const { involvedObject } = body as { involvedObject?: { name: string } };
    if (method !== "POST" || involvedObject?.name !== "slow") return {};
    return new Promise((resolve) => {
      answerFirst = () => resolve({});
    });
  });
  events.record({ ...hpa, name: "slow" }, rescale);
  await clock.advance(0);
  events.record({ ...hpa, name: "slow" }, rescale);
  // So many that another worker begins.
  for (let i = 0; i < 100; i += 1) events.record({ ...hpa, name: `h${String(i)}` }, rescale);
  await clock.advance(0);
  // All but the second "slow".
  expect([client.requests.length, events.waiting]).toEqual([101, 2]);
  answerFirst?.();
  await events.flush();
  expect(client.requests.at(-1)).toMatchObject({ method: "PATCH", body: { count: 2 } });
});

test.each([
  ["one object", 1, 1],
  ["one namespace", 40, 1],
  ["some namespaces", 40, 4],
])(
  "Events of %s whose writes hang delay no other Event by more than a few seconds",
  async (_, hung, namespaces) => {
    const { client, clock, events } = recorder(({ path }) =>
      path.includes("/hung-") ? new Promise(() => undefined) : {},
    );
    for (let i = 0; i < hung; i += 1)
      events.record({ ...hpa, namespace: `hung-${String(i % namespaces)}`, name: `h${String(i)}` }, rescale);
    events.record(hpa, rescale);
    await clock.advance(6000);
    const written = client.requests.filter(({ path }) => path.includes("/shop/"));
    expect(written).toHaveLength(1);
    // The others wait, and are not all sent at once.
    expect(client.requests.length).toBeLessThanOrEqual(21);
    const before = client.requests.length;
    events.record({ ...hpa, name: "later" }, rescale);
    await clock.advance(1000);
    expect(client.requests).toHaveLength(before + 1);
  },
);

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
  expect(errors.map(String)).toEqual(["Error: 4999 events were dropped: too many are waiting to be written"]);
  expect(counted).toEqual({ recorded: 15_000, queue_full: 4999 });
  const broken = {
    get namespace(): string {
      throw new Error("odd");
    },
  };
  expect(() => events.record(broken, rescale)).not.toThrow();
});

test("the message of an event has neither an address nor a secret", async () => {
  const { client, events } = recorder();
  registerSecret("t0ken-of-the-process");
  const long = "x".repeat(1_000);
  const message = `Get "https://10.96.0.1:443/apis": dial tcp 10.96.0.1:443: refused ${long} t0ken-of-the-process`;
  events.record(hpa, { type: "Warning", reason: "FailedGetScale", message });
  await events.flush();
  expect(client.requests[0]).toMatchObject({
    body: {
      message: expect.stringMatching(
        /^Get "\(address hidden\)": dial tcp \(address hidden\): refused x+$/,
      ) as string,
    },
  });
  expect(JSON.stringify(client.requests)).not.toContain("t0k");
});
