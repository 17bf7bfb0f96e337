import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createEventIds } from "../../src/server/event-ids.ts";
import { guardBy, keyOfRow, openStream, row, served, type TestStream } from "./served.ts";

const second = 1000;

test("a stream begins with a reset, and then has what changed, once a second", async () => {
  const { put, rows, clock, stream } = await served();
  put(row("old"));
  const one = await stream();
  await eventually(() => expect(one.events).toEqual([{ event: "reset", id: "one-1", data: {} }]));
  put(row("shop", { desired: 4 }));
  put(row("shop", { desired: 5 }));
  rows.drop("default/old");
  await clock.advance(second);
  await eventually(() => expect(one.events).toHaveLength(3));
  expect(one.events.slice(1)).toEqual([
    {
      event: "deleted",
      data: [{ resource: "horizontalpodautoscalers", namespace: "default", name: "old", uid: "uid-old" }],
    },
    { event: "rows", id: "one-4", data: [row("shop", { desired: 5 })] },
  ]);
  // The same with a new time is no change.
  put(row("shop", { desired: 5, at: "2026-11-22T10:00:15.000Z" }));
  await clock.advance(5 * second);
  put(row("shop", { desired: 6 }));
  await clock.advance(second);
  await eventually(() => expect(one.events).toHaveLength(4));
});

test("Last-Event-ID resumes where the reader was, and one of another process begins with a reset", async () => {
  const { put, rows, clock, stream } = await served();
  put(row("a"));
  put(row("b"));
  const seen = "one-2";
  put(row("b", { desired: 7 }));
  rows.drop("default/a");
  put(row("a", { uid: "another" }));
  const resumed = await stream(undefined, { "Last-Event-ID": seen });
  await clock.advance(second);
  await eventually(() => expect(resumed.events).toHaveLength(2));
  expect(resumed.events[0]).toMatchObject({ event: "deleted", data: [{ name: "a", uid: "uid-a" }] });
  expect(resumed.events[1]).toMatchObject({
    event: "rows",
    id: "one-5",
    data: [
      { name: "b", desired: 7 },
      { name: "a", uid: "another" },
    ],
  });
  for (const id of ["two-2", "one-99", "one--1", "one-x", "one", ""]) {
    const other = await stream(undefined, { "Last-Event-ID": id });
    await eventually(() => expect([id, other.events[0]?.event]).toEqual([id, "reset"]));
  }
});

test("what was deleted so long ago that it is forgotten is a reset", async () => {
  const { rows, stream } = await served();
  for (let n = 0; n < 20_002; n++) {
    const one = row(`object-${n}`);
    rows.put(keyOfRow(one), one);
    rows.drop(keyOfRow(one));
  }
  const late = await stream(undefined, { "Last-Event-ID": "one-10" });
  await eventually(() => expect(late.events[0]?.event).toBe("reset"));
  const recent = await stream(undefined, { "Last-Event-ID": `one-${rows.version}` });
  expect([recent.code, recent.events]).toEqual([200, []]);
});

test("a reader of one namespace sees nothing of another", async () => {
  const guard = guardBy(
    (user, access) => "resourceAttributes" in access && access.resourceAttributes.namespace === user,
  );
  const { put, rows, clock, stream, url } = await served({ guard });
  const pay = await stream("/apis/decisions/v1/stream?namespace=pay", { "X-User": "pay" });
  expect((await openStream(`${url}/apis/decisions/v1/stream`, { "X-User": "pay" })).code).toBe(403);
  put(row("secret"));
  put(row("orders", { namespace: "pay" }));
  await clock.advance(second);
  rows.drop("default/secret");
  rows.drop("pay/orders");
  await clock.advance(second);
  await eventually(() => expect(pay.events).toHaveLength(3));
  expect(JSON.stringify(pay.events)).not.toContain("secret");
  expect(pay.events.map(({ event }) => event)).toEqual(["reset", "rows", "deleted"]);
});

test("100 streams get every change, the next one is refused, and one user has 20 at most", async () => {
  const guard = guardBy(() => true);
  const { put, clock, streams, stream, url } = await served({ guard });
  const own: TestStream[] = [];
  for (let n = 0; n < 20; n++) own.push(await stream(undefined, { "X-User": "greedy" }));
  expect((await openStream(`${url}/apis/decisions/v1/stream`, { "X-User": "greedy" })).code).toBe(429);
  for (let n = 0; n < 80; n++) own.push(await stream(undefined, { "X-User": `user-${n}` }));
  expect(streams.size).toBe(100);
  const refused = await fetch(`${url}/apis/decisions/v1/stream`, { headers: { "X-User": "late" } });
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { reason: "TooManyRequests", message: "there are 100 streams already; read the summary instead" },
  ]);
  for (let n = 0; n < 1000; n++) put(row(`object-${n}`));
  await clock.advance(second);
  await eventually(() => {
    for (const { events } of own) expect(events.at(-1)?.data).toHaveLength(1000);
  });
  own[0]?.response.destroy();
  await eventually(() => expect(streams.size).toBe(99));
});

test("who may not read any more is disconnected within a minute", async () => {
  let isAllowed = true;
  const guard = guardBy(() => isAllowed);
  const { clock, stream, streams } = await served({ guard });
  const one = await stream(undefined, { "X-User": "ann" });
  await clock.advance(61 * second);
  expect([one.isEnded(), streams.size]).toEqual([false, 1]);
  isAllowed = false;
  await clock.advance(61 * second);
  await eventually(() => expect([one.isEnded(), streams.size]).toEqual([true, 0]));
});

test("a reader that takes nothing is disconnected, and the others go on", async () => {
  const { put, clock, stream, streams, onSlow } = await served();
  const slow = await stream();
  const good = await stream();
  slow.response.pause();
  const note = "x".repeat(4000);
  for (let turn = 0; turn < 60 && onSlow.mock.calls.length === 0; turn++) {
    for (let n = 0; n < 1000; n++) put(row(`object-${n}`, { note, desired: turn }));
    await clock.advance(second);
    await eventually(() => expect(good.events.at(-1)?.data).toMatchObject({ 0: { desired: turn } }));
  }
  expect(onSlow).toHaveBeenCalledOnce();
  await eventually(() => expect(streams.size).toBe(1));
  expect(good.isEnded()).toBe(false);
});

test("a quiet stream shows that it lives, and ends with the process", async () => {
  const { clock, stream, streams } = await served();
  const one = await stream();
  let text = "";
  one.response.on("data", (part: string) => (text += part));
  await clock.advance(16 * second);
  await eventually(() => expect(text).toContain(":\n\n"));
  streams.endAll();
  await eventually(() => expect(one.isEnded()).toBe(true));
});

test("sealed ids resume, and those of another process or with another version do not", async () => {
  const ids = createEventIds();
  const { put, clock, stream } = await served({ ids });
  put(row("a"));
  const seen = ids.of(1);
  put(row("b"));
  const resumed = await stream(undefined, { "Last-Event-ID": seen });
  await clock.advance(second);
  await eventually(() => expect(resumed.events).toMatchObject([{ event: "rows", data: [{ name: "b" }] }]));
  expect(ids.versionOf(resumed.events[0]?.id ?? "")).toBe(2);
  const changed = Buffer.from(seen, "base64url");
  changed[14] = (changed[14] ?? 0) ^ 1;
  for (const id of [createEventIds().of(1), ids.of(3), changed.toString("base64url"), "", "x"]) {
    const other = await stream(undefined, { "Last-Event-ID": id });
    await eventually(() => expect([id, other.events[0]?.event]).toEqual([id, "reset"]));
  }
});
