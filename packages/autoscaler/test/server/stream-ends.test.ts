import { createServer, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { manualClock } from "@plimsoll/component-base/testing";
import { createStreams } from "@plimsoll/decisions/serve";
import { eventually, listen } from "@plimsoll/testbed/world";
import express from "express";
import { expect, test } from "vitest";
import type { Guard } from "../../src/server/guard.ts";
import { createRelay, mergedStream } from "../../src/server/relay/relay.ts";
import { guardBy, row, served, type TestStream } from "./served.ts";

const second = 1000;

/** A reader whose connection is full: what it is sent now waits here. */
async function blocked(
  { put, clock, stream }: Awaited<ReturnType<typeof served>>,
  quietS = 0,
): Promise<TestStream> {
  const slow = await stream();
  for (let n = 0; n < quietS; n++) await clock.advance(second);
  const good = await stream();
  slow.response.pause();
  const note = "x".repeat(4000);
  for (let turn = 0; turn < 8; turn++) {
    for (let n = 0; n < 1000; n++) put(row(`object-${n}`, { note, desired: turn }));
    await clock.advance(second);
    await eventually(() => expect(good.events.at(-1)?.data).toMatchObject({ 0: { desired: turn } }));
  }
  good.response.destroy();
  return slow;
}

test("a stream that was ended while its reader was behind gets no more, and is disconnected", async () => {
  const given = await served();
  const { put, clock, stream, streams } = given;
  const slow = await blocked(given);
  await eventually(() => expect(streams.size).toBe(1));
  streams.endAll();
  const next = await stream();
  put(row("new"));
  await clock.advance(second);
  await eventually(() => expect(next.events.at(-1)).toMatchObject({ event: "rows" }));
  expect(streams.size).toBe(1);
  await clock.advance(11 * second);
  slow.response.resume();
  await eventually(() => expect(slow.isEnded()).toBe(true));
  expect(slow.response.complete).toBe(false);
});

test("a reader that may not read any more while it is behind gets no more", async () => {
  let isAllowed = true;
  const given = await served({ guard: guardBy(() => isAllowed) });
  const { put, clock, streams } = given;
  const slow = await blocked(given, 51);
  await eventually(() => expect(streams.size).toBe(1));
  isAllowed = false;
  // Its rights are reviewed a minute after its begin, before it has been behind for ten seconds.
  for (let n = 0; n < 2; n++) await clock.advance(second);
  await eventually(() => expect(streams.size).toBe(0));
  isAllowed = true;
  const next = await given.stream();
  put(row("new"));
  await clock.advance(second);
  await eventually(() => expect(next.events.at(-1)).toMatchObject({ event: "rows" }));
  await clock.advance(11 * second);
  slow.response.resume();
  await eventually(() => expect([streams.size, slow.isEnded()]).toEqual([1, true]));
});

test("a caller who is gone before the review is done takes no stream", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let waiting = 0;
  const guard: Guard = {
    async identify() {
      waiting++;
      await held;
      return { name: "ann", check: (required) => Promise.resolve(required.map(() => undefined)) };
    },
  };
  const { url, streams, stream } = await served({ guard });
  const sockets = Array.from({ length: 20 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
  for (const socket of sockets) socket.write("GET /apis/decisions/v1/stream HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually(() => expect(waiting).toBe(20));
  await Promise.all(
    sockets.map((socket) => {
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.destroy();
      return closed;
    }),
  );
  // The server has seen that they are gone once it serves who came later.
  expect((await fetch(`${url}/apis`)).status).toBe(200);
  release();
  const one = await stream();
  expect([one.code, streams.size]).toEqual([200, 1]);
});

test("events of other processes that come after the end of a merged stream are left out", async () => {
  const messages = [new PassThrough(), new PassThrough()];
  const errors: unknown[] = [];
  const { host } = await listen(
    createServer((_, response) => {
      response.on("error", (error) => errors.push(error));
      const peer = { pod: "other", address: "10.0.0.1:1", sha256: "" };
      mergedStream(
        messages.map((message) => ({ peer, message: message as never })),
        response as never,
        createStreams({ clock: manualClock(0), most: 1, mostOfOne: 1, onSlow: () => undefined }),
      );
      response.flushHeaders();
      response.end();
      messages[1]?.write("event: rows\ndata: []\n\nevent: rows\ndata: []\n\n");
    }),
  );
  expect(await (await fetch(`http://${host}`)).text()).toBe("");
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors).toEqual([]);
});

test.each(["one", "all"])("a reader of a stream from %s that takes nothing is disconnected", async (from) => {
  const peer = { pod: "other", address: "127.0.0.1:1", sha256: "" };
  const events = (async function* () {
    for (;;) yield await Promise.resolve(`event: rows\ndata: ${"x".repeat(60_000)}\n\n`);
  })();
  const message = Object.assign(Readable.from(events), { statusCode: 200, headers: {} }) as never;
  const clock = manualClock(0);
  const slow: unknown[] = [];
  const streams = createStreams({ clock, most: 4, mostOfOne: 4, onSlow: () => slow.push(clock.nowMs()) });
  const relay = createRelay({
    holders: () => ({ isSelf: false, others: [], silent: [], vacant: undefined }),
    peers: { get: () => Promise.resolve(message) },
    token: { forPod: () => Promise.resolve("relay") },
  });
  const app = express().use((request, response) => {
    streams.hold(response, { name: "" });
    if (from === "all") return mergedStream([{ peer, message }], response, streams);
    return relay.pipe(peer, { request, response, resources: undefined }, streams);
  });
  const { host } = await listen(createServer(app));
  const reader = await new Promise<IncomingMessage>((resolve) =>
    get(`http://${host}`, { agent: false }, resolve),
  );
  reader.on("error", () => undefined).pause();
  await eventually(() => expect(clock.pendingTimers).toBe(1));
  await clock.advance(10_000);
  expect(slow).toEqual([10_000]);
  await eventually(() => expect(streams.size).toBe(0));
  reader.destroy();
});
