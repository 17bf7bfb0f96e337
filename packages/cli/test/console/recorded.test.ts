// What the console reads of an autoscaler: its own documents and its stream, with credentials that stay in the process.
import { describe, expect, test } from "vitest";
import { putDecisions } from "../cluster/decisions.ts";
import { connecting, leaseOf, startFakeAutoscaler } from "../cluster/fake-autoscaler.ts";
import { putWorkload, shopCluster } from "../cluster/workload.ts";
import { startConsole } from "./client.ts";
import { canary, parsed, shop, summary } from "./shop.ts";

describe("recorded", () => {
  async function setUp() {
    const fake = shopCluster();
    const autoscaler = await startFakeAutoscaler();
    putDecisions(autoscaler, "/apis/decisions/v1");
    fake.put(leaseOf(autoscaler));
    const connect = connecting(fake, { token: canary });
    const console = await startConsole(fake, [], { connect });
    return { fake, autoscaler, console, read: await console.signIn() };
  }

  test("the documents are the autoscaler's own, and its credentials stay here", async () => {
    const { autoscaler, console, read } = await setUp();
    const seen: string[] = [];
    for (const path of [
      "/apis/console/v1",
      summary,
      shop,
      `${shop}/record`,
      "/apis/shadow/v1",
      "/apis/console/v1/findings",
    ]) {
      const got = await read(path);
      seen.push(got.text, JSON.stringify(got.headers));
    }
    expect(seen[0]).toContain('"source":"recorded","via":"port-forward to the autoscaler"');
    expect(JSON.parse(seen[2] ?? "")).toMatchObject({ items: [{ name: "shop", mode: "shadow" }] });
    expect(JSON.parse(seen[4] ?? "")).toMatchObject({
      items: [{ applied: "shadow" }, { applied: "shadow" }],
    });
    expect(autoscaler.requests.every(({ authorization }) => authorization === `Bearer ${canary}`)).toBe(true);
    autoscaler.reply(summary, `bad: Bearer ${canary}`, 500);
    const failed = await read(summary);
    expect(failed.code).toBe(502);
    expect([...seen, failed.text, console.output(), console.errors()].join("\n")).not.toContain("canary");
  });

  test("what the browser sends is not passed on", async () => {
    const { autoscaler, read } = await setUp();
    await read(`${summary}?limit=3&as=root`, {
      headers: { authorization: "Bearer mine", "impersonate-user": "root" },
    });
    expect(autoscaler.requests.at(-1)).toMatchObject({
      query: { limit: "3" },
      authorization: `Bearer ${canary}`,
    });
  });

  test.each([
    [403, "Forbidden"],
    [410, "Gone"],
    [503, "the lease is held by autoscaler-1"],
  ])("its %i is passed on in its words", async (code, words) => {
    const { autoscaler, read } = await setUp();
    autoscaler.reply(shop, words, code);
    const got = await read(shop);
    expect([got.code, got.text]).toEqual([code, expect.stringContaining(words)]);
  });

  test("an object of which it has no decision is recomputed", async () => {
    const { fake, read } = await setUp();
    putWorkload(fake, { name: "other", replicas: 3 });
    expect(parsed(await read(shop.replace("shop", "other")))).toMatchObject({
      items: [{ source: "recomputed" }],
    });
  });

  test("the stream is handed on, four of them; the fifth page polls", async () => {
    const { autoscaler, console, read } = await setUp();
    const path = "/apis/decisions/v1/stream";
    const { open } = autoscaler.stream(path);
    const streams = Array.from({ length: 4 }, () => read(path));
    await expect.poll(() => open.length).toBe(4);
    expect((await read(path)).code).toBe(429);
    open[0]?.end('event: rows\ndata: [{"name":"shop"}]\n\n');
    // Their connections may have come in another order.
    const first = await Promise.race(streams);
    expect(first).toMatchObject({ code: 200, text: expect.stringContaining('data: [{"name":"shop"}]') });
    expect(first.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    console.interrupt();
    await Promise.allSettled(streams);
    expect(await console.ended).toBe(130);
  });
});
