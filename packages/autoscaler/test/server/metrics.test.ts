import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { systemClock } from "@plimsoll/component-base";
import { eventually, listen } from "@plimsoll/testbed/world";
import express, { type Express } from "express";
import { Gauge, Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMetricsHandler } from "../../src/server/send-metrics.ts";
import { createMetricsPage, type MetricsPage } from "../../src/telemetry/metrics-page.ts";
import { served } from "./served.ts";

function registry(): Registry {
  const one = new Registry();
  one.registerMetric(new Gauge({ name: "plimsoll_one", help: "One.", registers: [] }));
  return one;
}

/** Endless, and counts what was taken of it. */
function endless() {
  const taken = vi.fn();
  const ended = vi.fn();
  const slice = `${"x".repeat(32_767)}\n`;
  const page: MetricsPage = {
    contentType: "text/plain",
    // biome-ignore lint/suspicious/useAwait: an endless page waits for nothing.
    async *slices() {
      try {
        for (;;) {
          taken();
          yield slice;
        }
      } finally {
        ended();
      }
    },
  };
  return { page, taken, ended };
}

test("the registry comes first, then each part", async () => {
  const { url } = await served({ metrics: createMetricsPage(registry(), [() => ["a 1\n", "", "b 2\n"]]) });
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await response.text()).toBe(
    "# HELP plimsoll_one One.\n# TYPE plimsoll_one gauge\nplimsoll_one 0\n\na 1\nb 2\n",
  );
});

test("gzip is sent to who accepts it, and nothing but the head to who asks for that", async () => {
  const { url } = await served({ metrics: createMetricsPage(registry(), []) });
  const plain = await text(url, "identity");
  const packed = await text(url, "gzip");
  expect(plain.head).not.toMatch(/content-encoding/i);
  expect(packed.head).toMatch(/content-encoding: gzip/i);
  expect(gunzipSync(packed.body).toString()).toBe(plain.body.toString());
  const head = await fetch(`${url}/metrics`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("a client that reads nothing stops the making of slices, and one that leaves ends it", async () => {
  const { page, taken, ended } = endless();
  const { url } = await served({ metrics: page });
  const socket = await requested(url);
  let before = -1;
  await eventually(() => {
    const now = taken.mock.calls.length;
    const isSame = now > 0 && now === before;
    before = now;
    expect(isSame).toBe(true);
  });
  // What fits into the buffers of two sockets.
  expect(before).toBeLessThan(1000);
  expect(ended).not.toHaveBeenCalled();
  socket.destroy();
  await eventually(() => expect(ended).toHaveBeenCalledOnce());
});

test("a page that takes long lets everything else have its turn every 5 ms", async () => {
  let nowMs = 0;
  let turns = 0;
  const turnsAtSlices: number[] = [];
  const page: MetricsPage = {
    contentType: "text/plain",
    // biome-ignore lint/suspicious/useAwait: its slices are late, and wait for nothing.
    async *slices() {
      for (let slice = 0; slice < 6; slice++) {
        turnsAtSlices.push(turns);
        setImmediate(() => turns++);
        nowMs += 2.5;
        yield "a 1\n";
      }
    },
  };
  const app = express();
  app.get("/metrics", createMetricsHandler(page, { nowMs: () => nowMs }));
  const response = await fetch(`${await listening(app)}/metrics`, identity);
  expect(await response.text()).toBe("a 1\n".repeat(6));
  expect(turnsAtSlices).toEqual([0, 0, 2, 2, 4, 4]);
});

test("more scrapes at a time than ten are refused until one ends", async () => {
  const { page, taken } = endless();
  const { url } = await served({ metrics: page });
  const sockets = await Promise.all(Array.from({ length: 10 }, () => requested(url)));
  await eventually(() => expect(taken.mock.calls.length).toBeGreaterThan(10));
  await eventually(async () => expect(await statusOf(url)).toBe(503));
  sockets[0]?.destroy();
  await eventually(async () => expect(await statusOf(url)).toBe(200));
});

test("a client that left before its scrape began, such as while it was authorized, holds none of the ten", async () => {
  const { page, taken } = endless();
  const send = createMetricsHandler(page, systemClock);
  const scrapes: Promise<void>[] = [];
  const app = express();
  app.get("/metrics", (request, response) => {
    response.once("close", () => void scrapes.push(send(request, response)));
    request.socket.destroy();
  });
  await expect(fetch(`${await listening(app)}/metrics`, identity)).rejects.toThrow("fetch failed");
  await eventually(() => expect(scrapes).toHaveLength(1));
  await Promise.all(scrapes);
  expect(taken).not.toHaveBeenCalled();
});

test("a part that throws is a 500, or a response that is cut off where some of it was sent", async () => {
  function* broken(slices: number): Generator<string> {
    for (let left = slices; left > 0; left--) yield "x".repeat(32_768);
    throw new Error("a bug");
  }
  const urlOf = async (slices: number) => {
    const { url } = await served({ metrics: createMetricsPage(registry(), [() => broken(slices)]) });
    return `${url}/metrics`;
  };
  const early = await fetch(await urlOf(0));
  expect([early.status, await early.json()]).toMatchObject([
    500,
    { kind: "Status", reason: "InternalError" },
  ]);
  const late = await urlOf(100);
  await expect(fetch(late).then((response) => response.text())).rejects.toThrow("terminated");
});

const identity = { headers: { "Accept-Encoding": "identity" } };

/** Where an application listens until the test ends. */
async function listening(app: Express): Promise<string> {
  return `http://${(await listen(createServer(app))).host}`;
}

/** A connection that has asked for the metrics, and reads nothing. */
async function requested(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  socket.write("GET /metrics HTTP/1.1\r\nHost: one\r\n\r\n");
  return socket;
}

async function statusOf(url: string): Promise<number> {
  const leaving = new AbortController();
  const { status } = await fetch(`${url}/metrics`, { signal: leaving.signal });
  leaving.abort();
  return status;
}

/** As the server sends it: fetch would unpack it. */
async function text(
  url: string,
  accepted: string,
): Promise<{ readonly head: string; readonly body: Buffer }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /metrics HTTP/1.0\r\nHost: one\r\nAccept-Encoding: ${accepted}\r\nConnection: close\r\n\r\n`,
  );
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  const end = whole.indexOf("\r\n\r\n");
  return { head: whole.subarray(0, end).toString(), body: whole.subarray(end + 4) };
}
