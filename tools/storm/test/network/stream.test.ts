import { expect, test } from "vitest";
import { createNetwork, type ServerResponse, type WatchFault } from "../../src/network/network.ts";
import type { ResponseSink } from "../../src/network/server.ts";
import { createProcess } from "../../src/process/simulated-process.ts";
import { createRandom } from "../../src/random/random.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

/** A watch that is read into a list. */
async function watching() {
  const time = createVirtualTime(0);
  const onCrash = (error: unknown) => {
    throw error;
  };
  const process = createProcess({ name: "a-0", run: 1, time, machine: { aheadMs: 0 }, onCrash });
  const network = createNetwork({ time, random: createRandom(1), onServerError: onCrash });
  let sink: ResponseSink | undefined;
  const response: ServerResponse = {
    code: 200,
    stream: (opened) => {
      sink = opened;
    },
  };
  const client = network.clientOf(process, () => response);
  const caller = new AbortController();
  let texts = "";
  let end: unknown = "open";
  async function read(): Promise<void> {
    const stream = await client.stream({ path: "/pods", signal: caller.signal });
    for await (const bytes of stream) texts += Buffer.from(bytes).toString();
  }
  read().then(
    () => (end = "ended"),
    (error: unknown) => (end = error),
  );
  const pass = (ms = 10) => time.runUntil(time.nowMs + ms);
  await pass();
  if (sink === undefined) throw new Error("the watch did not open");
  const add = (fault: WatchFault) => network.add({ ofWatch: () => fault });
  return { process, client, caller, sink, pass, add, texts: () => texts, end: () => end };
}

test("texts come in order, and then the end", async () => {
  const { sink, pass, texts, end } = await watching();
  for (let line = 0; line < 20; line += 1) sink.write(`${line}\n`);
  expect(texts()).toBe("");
  sink.end();
  await pass();
  expect(texts()).toBe(Array.from({ length: 20 }, (_, line) => `${line}\n`).join(""));
  expect(end()).toBe("ended");
});

test("a caller that aborts closes the stream at the server", async () => {
  const { caller, sink, pass, end } = await watching();
  caller.abort();
  await pass();
  expect(sink.signal.aborted).toBe(true);
  expect(end()).toMatchObject({ kind: "aborted", message: "GET /pods: aborted" });
});

test("a client that closes ends its streams", async () => {
  const { client, sink, pass, end } = await watching();
  await client.close();
  await pass();
  expect(sink.signal.aborted).toBe(true);
  expect(end()).toMatchObject({ kind: "closed" });
});

test("the streams of a killed process are cut at the server, and it reads nothing more", async () => {
  const { process, sink, pass, texts, end } = await watching();
  sink.write("before\n");
  process.kill();
  expect(sink.signal.aborted).toBe(true);
  await pass();
  expect([texts(), end()]).toEqual(["", "open"]);
});

test("a paused process reads what came when it is woken", async () => {
  const { process, sink, pass, texts } = await watching();
  process.pause();
  sink.write("1\n");
  await pass();
  sink.write("2\n");
  await pass();
  expect(texts()).toBe("");
  process.wake();
  await pass(0);
  expect(texts()).toBe("1\n2\n");
});

test("a half-open watch stays silent after the fault", async () => {
  const { add, sink, pass, texts, end } = await watching();
  const remove = add({ type: "half-open" });
  sink.write("1\n");
  await pass();
  remove();
  sink.write("2\n");
  sink.end();
  await pass();
  expect([texts(), end()]).toEqual(["", "open"]);
});

test("a watch that is cut fails as a reset", async () => {
  const { add, sink, pass, texts, end } = await watching();
  sink.write("1\n");
  add({ type: "cut" });
  await pass();
  expect(texts()).toBe("1\n");
  expect(end()).toMatchObject({ kind: "reset" });
  expect(sink.signal.aborted).toBe(true);
});

test("bookmarks are dropped, events doubled, texts delayed while the fault is in place", async () => {
  const { add, sink, pass, texts } = await watching();
  const lines = '{"type":"BOOKMARK"}\n{"type":"ADDED"}\n';
  let remove = add({ type: "no-bookmarks" });
  sink.write(lines);
  remove();
  remove = add({ type: "duplicates" });
  sink.write("twice\n");
  remove();
  await pass();
  expect(texts()).toBe('{"type":"ADDED"}\ntwice\ntwice\n');
  remove = add({ type: "delay", ms: 1000 });
  sink.write("late\n");
  remove();
  sink.write("not before\n");
  await pass(999);
  expect(texts()).not.toContain("before");
  await pass(10);
  expect(texts()).toContain("late\nnot before\n");
});
