import { ApiError, ConnectionError, type KubeRequest } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createNetwork, type RequestFault, type Server } from "../../src/network/network.ts";
import { createProcess } from "../../src/process/simulated-process.ts";
import { createRandom } from "../../src/random/random.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

const ok: Server = () => ({ code: 200, body: '{"kind":"List"}' });

/** A client whose server counts what takes effect. */
function connected(server: Server = ok) {
  const time = createVirtualTime(0);
  const crashes: unknown[] = [];
  const process = createProcess({
    name: "autoscaler-0",
    run: 1,
    time,
    machine: { aheadMs: 0 },
    onCrash: (error) => crashes.push(error),
  });
  const random = createRandom(1);
  const network = createNetwork({ time, random, onServerError: (error) => crashes.push(error) });
  const effects: string[] = [];
  const client = network.clientOf(process, (request) => {
    effects.push(`${request.method} ${request.path} ${time.nowMs}`);
    return server(request);
  });
  /** What became of a request, when time has passed. */
  async function outcome(request: KubeRequest, forMs = 60_000): Promise<unknown> {
    let result: unknown = "pending";
    client.request(request).then(
      (value) => (result = value),
      (error: unknown) => (result = error),
    );
    await time.runUntil(time.nowMs + forMs);
    return result;
  }
  const put: KubeRequest = { method: "PUT", path: "/scale", body: { replicas: 3 } };
  return { time, process, network, client, effects, outcome, put, crashes };
}

function always(fault: RequestFault) {
  return { ofRequest: () => fault };
}

test("a request takes effect after a while, and its response comes after another", async () => {
  const { outcome, effects, put, time } = connected();
  expect(await outcome(put, 0)).toBe("pending");
  expect(effects).toEqual([]);
  expect(await outcome(put, 10)).toEqual({ kind: "List" });
  expect(effects).toHaveLength(2);
  expect(time.nowMs).toBe(10);
});

test("the server gets the request as it was sent", async () => {
  let got: unknown;
  const { outcome, put } = connected((request) => {
    got = { ...request, query: request.query.toString() };
    return { code: 200, body: "" };
  });
  expect(await outcome({ ...put, query: { dryRun: "All", no: undefined } })).toBeUndefined();
  expect(got).toEqual({
    method: "PUT",
    path: "/scale",
    query: "dryRun=All",
    headers: {
      accept: "application/json",
      "user-agent": "plimsoll-autoscaler",
      "content-type": "application/json",
    },
    body: '{"replicas":3}',
    caller: "autoscaler-0",
    sentAtMs: 0,
  });
});

test("a request that is lost before has no effect, one that is lost after has; both end by their timeouts", async () => {
  for (const [type, count] of [
    ["lost-before", 0],
    ["lost-after", 1],
  ] as const) {
    const { network, outcome, effects, put } = connected();
    network.add(always({ type }));
    const error = await outcome({ ...put, timeoutMs: 5000 }, 5000);
    expect(error).toEqual(new ConnectionError("timeout", "PUT /scale: no response within 5000 ms"));
    expect(effects).toHaveLength(count);
  }
});

test("a reset fails a write at once, and a read is sent once more", async () => {
  const { network, outcome, effects, put } = connected();
  const remove = network.add(always({ type: "lost-after", isReset: true }));
  expect(await outcome(put, 10)).toEqual(new ConnectionError("reset", "PUT /scale: read ECONNRESET"));
  expect(effects).toHaveLength(1);
  const reset = new ConnectionError("reset", "GET /pods: read ECONNRESET");
  expect(await outcome({ path: "/pods" }, 20)).toEqual(reset);
  expect(effects).toHaveLength(3);
  remove();
  expect(await outcome(put)).toEqual({ kind: "List" });
});

test("refusals are ApiErrors with Retry-After", async () => {
  const { network, outcome, effects, put } = connected();
  network.add(always({ type: "status", code: 429, retryAfterSeconds: 2 }));
  const error = await outcome(put);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 429, reason: "TooManyRequests", retryAfterMs: 2000 });
  expect(effects).toEqual([]);
});

test("a delay counts on both ways", async () => {
  const { network, outcome, effects, put } = connected();
  network.add(always({ type: "delay", requestMs: 1000, responseMs: 2000 }));
  expect(await outcome(put, 999)).toBe("pending");
  expect(effects).toEqual([]);
  expect(await outcome(put, 2000)).toBe("pending");
  expect(effects).toHaveLength(2);
});

test("what may not be sent any more after a pause is not sent", async () => {
  const { process, outcome, effects, put, time } = connected();
  let isMine = true;
  process.strikeAt("before-send", () => process.pause());
  const result = outcome({ ...put, maySend: () => isMine }, 60_000);
  time.after(10, () => {
    isMine = false;
    process.wake();
  });
  expect(await result).toMatchObject({ name: "ConnectionError", kind: "aborted" });
  expect(effects).toEqual([]);
});

test("what was sent takes effect although its process is killed right after, and nothing comes back", async () => {
  const { process, outcome, effects, put } = connected();
  process.strikeAt("after-send", () => process.kill());
  expect(await outcome(put)).toBe("pending");
  expect(effects).toHaveLength(1);
});

test("a caller that aborts gets its error at once; a client that closes fails what is under way", async () => {
  const { client, time, put } = connected();
  const reason = new AbortController();
  const aborted = client.request({ ...put, signal: reason.signal });
  const closed = client.request(put);
  await time.runUntil(0);
  reason.abort();
  await expect(aborted).rejects.toMatchObject({ kind: "aborted", message: "PUT /scale: aborted" });
  await client.close();
  await expect(closed).rejects.toMatchObject({ kind: "closed" });
  await expect(client.request(put)).rejects.toMatchObject({ kind: "closed" });
  await expect(client.request({ ...put, signal: reason.signal })).rejects.toThrow("closed");
});

test("a server that throws is a bug of the simulation, not a response", async () => {
  const { outcome, put, crashes } = connected(() => {
    throw new Error("broken");
  });
  expect(await outcome(put, 10)).toBe("pending");
  expect(crashes).toEqual([new Error("broken")]);
});
