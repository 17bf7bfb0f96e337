// A page that does not read its stream, over a real socket: what waits for it is bounded, and it is cut off.
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createStreams } from "../src/serve/index.ts";

const part = new Uint8Array(64 * 1024).fill(0x3a);
const manyParts = 4_000;

async function setUp() {
  const timers = new Map<() => void, number>();
  const clock = {
    after(delayMs: number, run: () => void) {
      timers.set(run, delayMs);
      return () => void timers.delete(run);
    },
  };
  const slow = vi.fn();
  const streams = createStreams({ clock, most: 4, mostOfOne: 4, onSlow: slow });
  const sent = { parts: 0, isEnded: false };
  const source = async function* (signal: AbortSignal): AsyncIterable<Uint8Array> {
    try {
      while (sent.parts < manyParts && !signal.aborted) {
        sent.parts++;
        // As from a socket: the next part is there a turn later.
        yield await Promise.resolve(part);
      }
    } finally {
      sent.isEnded = true;
    }
  };
  const server = createServer((request, response) => {
    if (request.url === "/stream")
      void streams.send({ request, response }, { name: "" }, (signal) => Promise.resolve(source(signal)));
    else response.end("here");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (path: string): Promise<IncomingMessage> => {
    const [response] = (await once(get({ host: "127.0.0.1", port, path, agent: false }), "response")) as [
      IncomingMessage,
    ];
    return response;
  };
  return { timers, onSlow: slow, sent, open };
}

test("one that takes nothing is sent no more than its connection holds, and others are served", async () => {
  const { timers, onSlow, sent, open } = await setUp();
  const slow = await open("/stream");
  slow.pause();
  slow.on("error", () => undefined);
  const closed = new Promise((resolve) => slow.once("close", resolve));
  let before = -1;
  await expect
    .poll(() => {
      const isStill = sent.parts === before && timers.size === 1;
      before = sent.parts;
      return isStill;
    })
    .toBe(true);
  expect(sent.parts * part.length).toBeLessThan(32 * 2 ** 20);
  expect((await (await open("/")).toArray()).join("")).toBe("here");
  expect(onSlow).not.toHaveBeenCalled();
  for (const [run, delayMs] of timers) if (delayMs === 10_000) run();
  await expect.poll(() => onSlow.mock.calls.length).toBe(1);
  slow.resume();
  await closed;
  await expect.poll(() => sent.isEnded).toBe(true);
  expect([slow.complete, timers.size]).toEqual([false, 0]);
});

test("one that reads gets all of it, and one that leaves ends its source", async () => {
  const { timers, onSlow, sent, open } = await setUp();
  const reader = await open("/stream");
  let bytes = 0;
  for await (const chunk of reader as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > 8 * 2 ** 20) break;
  }
  await expect.poll(() => sent.isEnded).toBe(true);
  expect([onSlow.mock.calls.length, timers.size]).toEqual([0, 0]);
});
