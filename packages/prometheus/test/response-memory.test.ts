// What a response in flight takes, for as long as it comes.
import { expect, test } from "vitest";
import {
  createPrometheusClient,
  type FetchLike,
  type RequestClock,
  type ResponseMemory,
} from "../src/index.ts";
import { errorOf } from "./client-rig.ts";

const kib = 1024;
const mib = 1024 * kib;
const head = '{"status":"success","data":{"resultType":"vector","result":[';
const url = "http://prometheus.test";

/** Sends these chunks until the client has had enough. */
function sending(chunks: () => Iterable<string | Uint8Array>): FetchLike {
  return async (_url, { signal }) => {
    async function* body(): AsyncGenerator<string | Uint8Array> {
      for (const chunk of chunks()) {
        signal.throwIfAborted();
        yield chunk;
      }
    }
    return { status: 200, headers: { get: () => null }, body: body() };
  };
}

test("a fat series that dribbles in until the deadline is not kept", async () => {
  let passDeadline = (): void => {};
  const clock: RequestClock = {
    nowMs: () => 0,
    after(_ms, run) {
      passDeadline = run;
      return () => {};
    },
  };
  let kept = 0;
  let inFlight = 0;
  const responseMemory: ResponseMemory = {
    enter() {
      inFlight += 1;
      return { grow: (bytes) => void (kept += bytes), leave: () => void (inFlight -= 1) };
    },
  };
  let sent = 0;
  function* chunks(): Generator<string | Uint8Array> {
    yield `${head}{"metric":{"a":"`;
    for (; ; sent += 64 * kib) {
      if (sent === 30 * mib) passDeadline();
      yield Buffer.alloc(64 * kib, "x");
    }
  }
  const fetch = sending(chunks);
  const client = createPrometheusClient({ url, fetch, maxItemBytes: 64 * kib, clock, responseMemory });
  const error = await errorOf(client.query("up"));
  expect([error.kind, sent, kept, inFlight]).toEqual(["timeout", 30 * mib, 0, 0]);
});

test("a response that is given up for the sake of others says why", async () => {
  const why = "large responses for namespace shop exceed 16 MiB together";
  const memory: ResponseMemory = { enter: (giveUp) => ({ grow: () => giveUp(why), leave: () => {} }) };
  function* chunks(): Generator<string> {
    yield head;
    for (;;) yield `{"metric":{"pad":"${"x".repeat(1_000)}"},"value":[1,"1"]},`;
  }
  const client = createPrometheusClient({ url, fetch: sending(chunks), maxItemBytes: 64 * kib });
  const budget = { maxBytes: 64 * mib, namespace: "shop", memory };
  expect(await errorOf(client.query("up", { budget }))).toMatchObject({ kind: "too_large", message: why });
});

test("a response that waits for its turn ends with its time, and one whose turn comes is read on", async () => {
  let passDeadline = (): void => {};
  const clock: RequestClock = {
    nowMs: () => 0,
    after(_ms, run) {
      passDeadline = run;
      return () => {};
    },
  };
  let start = (): void => {};
  const turn = new Promise<void>((resolve) => void (start = resolve));
  let enter = (): void => {};
  const entered = new Promise<void>((resolve) => void (enter = resolve));
  const memory: ResponseMemory = {
    enter() {
      enter();
      return { turn, grow: () => {}, leave: () => {} };
    },
  };
  function* chunks(): Generator<string> {
    yield head;
    for (let n = 0; n < 300; n++)
      yield `${n === 0 ? "" : ","}{"metric":{"pad":"${"x".repeat(1_000)}"},"value":[1,"1"]}`;
    yield "]}}";
  }
  const client = createPrometheusClient({ url, fetch: sending(chunks), maxItemBytes: 64 * kib, clock });
  const budget = { maxBytes: 64 * mib, namespace: "shop", memory };
  const late = errorOf(client.query("up", { budget }));
  await entered;
  passDeadline();
  expect((await late).kind).toBe("timeout");
  const read = client.query("up", { budget });
  start();
  expect(await read).toMatchObject({ samples: { length: 300 } });
});
