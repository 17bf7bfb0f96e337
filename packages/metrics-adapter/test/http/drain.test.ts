import { Agent } from "node:https";
import { connect } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { drainMs } from "../../src/app/shutdown-times.ts";
import { type Answer, ask, askAs, type Harness, startAdapter } from "./harness.ts";

const path = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/ns/pods/p/m";

test("draining: unready first, still serving, in-flight requests finish, then everything is closed", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock, flags: ["--shutdown-delay-duration=5s"] });
  let release = (): void => {};
  harness.engine.onCustom = () =>
    new Promise((resolve) => {
      release = () => resolve({ ok: true, value: [] });
    });
  const keptAlive = new Agent({ keepAlive: true });
  await askAs(harness, "/apis", { agent: keptAlive });
  const inFlight = askAs(harness, path);
  await until("a request is in flight", () => harness.engine.queries.length === 1);

  const stopped = harness.adapter.stop();
  const readyz = await ask(harness, { path: "/readyz" });
  expect(readyz.code).toBe(500);
  expect(readyz.text).toContain("[-]shutdown failed: shutting down");
  expect(readyz.headers.connection).toBe("close");
  expect((await ask(harness, { path: "/livez" })).code).toBe(200);
  const during = await askAs(harness, "/apis/custom.metrics.k8s.io/v1beta1", { agent: keptAlive });
  expect([during.code, during.headers.connection]).toEqual([200, "close"]);

  await clock.advance(5_000);
  await until("no connection is accepted", () => isClosed(harness.port));
  release();
  expect((await inFlight).code).toBe(200);
  await stopped;
  expect(harness.engine.isStopped).toBe(true);
  keptAlive.destroy();
});

test("a request that never ends does not keep the process for ever", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock });
  harness.engine.onCustom = () => new Promise(() => {});
  const stuck = askAs(harness, path).catch((error: unknown) => error);
  await until("a request is in flight", () => harness.engine.queries.length === 1);
  const stopped = harness.adapter.stop();
  await clock.advance(0);
  await until("no connection is accepted", () => isClosed(harness.port));
  await clock.advance(drainMs);
  await stopped;
  expect(await stuck).toBeInstanceOf(Error);
});

test("under load no request fails while it drains", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock, flags: ["--shutdown-delay-duration=5s"] });
  const codes: number[] = [];
  const load = new AbortController();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const callers = [1, 2, 3, 4].map(async () => {
    while (!load.signal.aborted) {
      codes.push((await askAs(harness, path, { agent })).code);
    }
  });
  await until("there is load", () => codes.length > 20);
  const stopped = harness.adapter.stop();
  await until("it says that it is leaving", async () => (await unready(harness)) === 500);
  // What a client does that received `Connection: close`.
  load.abort();
  await Promise.all(callers);
  await clock.advance(5_000);
  await until("no connection is accepted", () => isClosed(harness.port));
  await clock.advance(drainMs);
  await stopped;
  agent.destroy();
  expect(codes.every((code) => code === 200)).toBe(true);
});

test("requests that arrive on open connections after the last was accepted get a response, and idle connections end without a reset", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock });
  const open = await Promise.all([1, 2].map(() => connectTo(harness)));
  const stopped = harness.adapter.stop();
  await clock.advance(0);
  await until("no connection is accepted", () => isClosed(harness.port));
  const [asking, idle] = open;
  asking?.socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(await asking?.ended).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n/);
  await clock.advance(3_000);
  expect(await idle?.ended).toBe("");
  await stopped;
});

/** A connection that has not asked anything yet; all that comes until it ends, or why it failed. */
async function connectTo(
  harness: Harness,
): Promise<{ readonly socket: TLSSocket; readonly ended: Promise<string> }> {
  const socket = connectTls({
    port: harness.port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: harness.pki.serving.pem,
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  const ended = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.once("error", (error) => resolve(String(error)));
    socket.once("close", () => resolve(text));
  });
  return { socket, ended };
}

async function unready(harness: Harness): Promise<number> {
  return (await ask(harness, { path: "/readyz" }).then((answer: Answer) => answer.code)) ?? 0;
}

function isClosed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}
