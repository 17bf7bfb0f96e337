import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createDrain } from "../../src/serving/drain.ts";

const times = { idleMs: 1_000, graceMs: 10_000 };

/** A plain server whose answers wait for the test. */
async function listen() {
  const clock = manualClock(0);
  const pending: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    pending.push(response);
  });
  const drain = createDrain(server, clock);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { clock, pending, drain, server, open: () => open(port) };
}

async function open(port: number): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  const ended = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.once("error", (error) => resolve(String(error)));
    socket.once("close", () => resolve(text));
  });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return { socket, ended };
}

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

test("responses in progress are finished, late requests are served, and idle connections end without a reset", async () => {
  const { clock, pending, drain, server, open } = await listen();
  const [asking, late, idle] = await Promise.all([open(), open(), open()]);
  asking.socket.write(request);
  await until("one request is under way", () => pending.length === 1);
  const closed = drain.close(times);
  await until("no connection is accepted", () => !server.listening);
  late.socket.write(request);
  await until("a late request is under way", () => pending.length === 2);
  await clock.advance(times.idleMs);
  expect(await idle.ended).toBe("");
  await clock.advance(times.idleMs);
  for (const response of pending) response.end("done");
  expect(await asking.ended).toMatch(/^HTTP\/1\.1 200 OK[^]*done/);
  expect(await late.ended).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\nConnection: close[^]*done/);
  await closed;
});

test("pipelined requests all get a response", async () => {
  const { clock, pending, drain, server, open } = await listen();
  const asking = await open();
  asking.socket.write(request + request);
  await until("both requests are under way", () => pending.length === 2);
  const closed = drain.close(times);
  await until("no connection is accepted", () => !server.listening);
  await clock.advance(times.idleMs);
  const [first, second] = pending;
  first?.end("one");
  await until("the first is answered", () => first?.writableFinished === true);
  await clock.advance(times.idleMs);
  second?.end("two");
  expect(await asking.ended).toMatch(/one[^]*HTTP\/1\.1 200 OK[^]*two/);
  await closed;
});

test("pipelined requests end with their connection, also those that wait for another", async () => {
  const { pending, drain, open } = await listen();
  const { socket } = await open();
  socket.write(request.repeat(3));
  await until("all requests are under way", () => pending.length === 3);
  let ended = 0;
  for (const response of pending) response.once("close", () => (ended += 1));
  socket.destroy();
  await until("all have ended", () => ended === 3);
  expect(pending.map(({ req }) => drain.isResponding(req.socket))).toEqual([false, false, false]);
});

test("what never ends is cut off after the grace, and a peer that never closes before", async () => {
  const { clock, pending, drain, server, open } = await listen();
  const [stuck, deaf] = await Promise.all([open(), open()]);
  deaf.socket.pause();
  stuck.socket.write(request);
  await until("a request is under way", () => pending.length === 1);
  let isClosed = false;
  const closed = drain.close(times).then(() => (isClosed = true));
  await until("no connection is accepted", () => !server.listening);
  await clock.advance(times.graceMs - 1);
  expect(isClosed).toBe(false);
  await clock.advance(1);
  await closed;
  expect(await stuck.ended).toBe("");
  deaf.socket.destroy();
});
