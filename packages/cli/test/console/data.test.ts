// What the console reads: recorded or recomputed, with the user's rights, in the server's words.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeRecord } from "@plimsoll/core";
import type { Connection } from "@plimsoll/kube";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FindingsPage, HistoryPage } from "../../src/console/documents.ts";
import { putDecisions } from "../cluster/decisions.ts";
import { leaseOf, localForward, startFakeAutoscaler, tokenOf } from "../cluster/fake-autoscaler.ts";
import { type FakeCluster, fakeCluster, nowMs } from "../cluster/fake-cluster.ts";
import { putWorkload, statusOf } from "../cluster/workload.ts";
import { type Got, startConsole } from "./client.ts";

const canary = "canary-token-7c1d";
const summary = "/apis/decisions/v1/summary";
const shop = "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop";

function shopCluster(): FakeCluster {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 8, usage: "170m", status: statusOf(8, { cpu: 34 }) });
  return fake;
}

function parsed(got: Got): unknown {
  const { code, headers, text } = got;
  expect({ code, type: headers["content-type"], text }).toEqual({
    code: 200,
    type: "application/json",
    text,
  });
  return JSON.parse(got.text);
}

describe("recomputed", () => {
  async function setUp(fake = shopCluster(), args: readonly string[] = []) {
    const console = await startConsole(fake, ["--via=none", ...args]);
    return { fake, console, read: await console.signIn() };
  }

  test("the index says what there is", async () => {
    const { read } = await setUp();
    expect(parsed(await read("/apis/console/v1"))).toMatchObject({
      schema: "plimsoll/console/v1",
      version: "1.2.3",
      context: "test",
      source: "recomputed",
      via: "recomputed from live data: --via none",
      namespace: "default",
      parts: { stream: { ok: false }, records: { ok: true }, findings: { ok: true }, history: { ok: false } },
    });
  });

  test("the summary, a decision and its record agree", async () => {
    const { read } = await setUp();
    expect(parsed(await read(summary))).toMatchObject({
      items: [{ name: "shop", desired: 5, min: 2, max: 40, mode: "none", source: "recomputed" }],
      total: 1,
    });
    const { items } = parsed(await read(shop)) as { items: readonly Record<string, unknown>[] };
    expect(items).toMatchObject([
      { resource: "horizontalpodautoscalers", source: "recomputed", decision: { desiredReplicas: 5 } },
    ]);
    const record = await read(`${shop}/record`);
    expect(decodeRecord(record.text).result.decision.desiredReplicas).toBe(5);
  });

  test("many tabs cost as much as one, and what did not change is not sent again", async () => {
    const { fake, read } = await setUp();
    await read(summary);
    const before = fake.requests.length;
    const tabs = await Promise.all(Array.from({ length: 30 }, () => read(summary)));
    expect(fake.requests.length).toBe(before);
    const tag = String(tabs[0]?.headers.etag);
    expect((await read(summary, { headers: { "if-none-match": tag } })).code).toBe(304);
  });

  test("pages go on in the list that they began in", async () => {
    const fake = shopCluster();
    for (const name of ["a", "b", "c"]) putWorkload(fake, { name, replicas: 1 });
    const { read } = await setUp(fake);
    const names: string[] = [];
    let next: string | undefined = "";
    while (next !== undefined) {
      const page = parsed(await read(`${summary}?limit=2${next === "" ? "" : `&continue=${next}`}`)) as {
        readonly items: readonly { readonly name: string }[];
        readonly continue?: string;
      };
      names.push(...page.items.map(({ name }) => name));
      next = page.continue;
    }
    expect(names).toEqual(["a", "b", "c", "shop"]);
  });

  test.each([
    [`${summary}?limit=0`, 400, "the parameter limit must be a whole number from 1 to 10000"],
    [`${summary}?sort=x`, 400, "the parameter sort must be one of name, held, ratio, since"],
    [`${summary}?continue=x`, 400, "the parameter continue is not of a page before"],
    [`${summary}?namespace=../x`, 400, "the parameter namespace is not the name of one"],
    [`${summary}?limit=1&limit=2`, 400, "the parameter limit is there twice"],
    [`${shop}?before=x`, 400, "the parameter before is no instant"],
    [
      shop.replace("shop", "gone"),
      404,
      'horizontalpodautoscalers "gone" in namespace "default" has been deleted',
    ],
    [shop.replace("shop", "..%2f..%2fsecrets"), 404, "there is nothing at"],
    [shop.replace("shop", "%ff"), 404, "there is nothing at"],
    ["/apis/decisions/v1/namespaces/default/secrets/x", 404, "there is nothing at"],
    ["/api/v1/namespaces/default/secrets", 404, "there is nothing at"],
    ["/apis/shadow/v1", 404, "only an autoscaler in shadow compares"],
    ["/apis/decisions/v1/stream", 404, "decisions are recomputed: there is no stream"],
    [shop.replace("decisions/v1", "console/v1/history"), 404, "start the console with --prometheus-url"],
  ])("%s: %i", async (path, code, message) => {
    const { read } = await setUp();
    const got = await read(path);
    expect(JSON.parse(got.text)).toMatchObject({
      kind: "Status",
      code,
      message: expect.stringContaining(message),
    });
    expect(got.code).toBe(code);
  });

  test("what the user may not read is a 403 in the API server's words", async () => {
    const fake = shopCluster();
    const { read } = await setUp(fake);
    fake.deny(/horizontalpodautoscalers|metrics/);
    for (const path of [summary, shop, "/apis/console/v1/findings"]) {
      const got = await read(path);
      expect([got.code, got.text]).toEqual([403, expect.stringMatching(/is forbidden: User|may not/)]);
    }
  });

  test("an API server that does not accept the user is no 401: the page has no token to give", async () => {
    const fake = shopCluster();
    const { read } = await setUp(fake);
    fake.reply("/apis/autoscaling/v2/horizontalpodautoscalers", "Unauthorized", 401);
    const got = await read(summary);
    expect([got.code, got.text]).toEqual([502, expect.stringContaining('does not accept user \\"u\\"')]);
  });

  test("findings, of a namespace and of one object, are examined once", async () => {
    const fake = shopCluster();
    const { read } = await setUp(fake);
    const path = "/apis/console/v1/findings";
    const own = parsed(await read(shop.replace("decisions/v1", "console/v1/findings"))) as FindingsPage;
    expect(own.checked).toEqual({ objects: 1, rules: 46 });
    const all = parsed(await read(`${path}?namespace=default`)) as FindingsPage;
    expect(all.findings.map(({ id }) => id)).toEqual(own.findings.map(({ id }) => id));
    const before = fake.requests.length;
    await Promise.all([read(`${path}?namespace=default`), read(`${path}?namespace=default`)]);
    expect(fake.requests.length).toBe(before);
    const empty = parsed(await read(`${path}?namespace=empty`)) as FindingsPage;
    expect([empty.findings, empty.checked.objects]).toEqual([[], 0]);
  });

  test("of 12,000 objects 10,000 are shown, and the first 200 recomputed", async () => {
    const fake = shopCluster();
    const hpas = "/apis/autoscaling/v2/horizontalpodautoscalers";
    const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" }, maxReplicas: 3 };
    fake.reply(hpas, {
      metadata: {},
      items: Array.from({ length: 12_000 }, (_, index) => ({
        metadata: { namespace: "many", name: `x-${index}`, uid: `u-${index}` },
        spec,
        status: { currentReplicas: 1, desiredReplicas: 1 },
      })),
    });
    const { read } = await setUp(fake);
    const page = parsed(await read(`${summary}?limit=10000`)) as {
      readonly items: readonly unknown[];
      readonly notes: readonly string[];
    };
    expect(page.items).toHaveLength(10_000);
    expect(page.notes).toEqual([
      "The first 200 objects are recomputed; of the others the status is shown. Choose a namespace.",
      "2000 of 12000 objects are not shown.",
    ]);
    expect(fake.requests.length).toBeLessThan(2_500);
  });
});

describe("recorded", () => {
  async function setUp() {
    const fake = shopCluster();
    const autoscaler = await startFakeAutoscaler();
    putDecisions(autoscaler, "/apis/decisions/v1");
    fake.put(leaseOf(autoscaler));
    const connect = (): Promise<Connection> => {
      const { client, access } = fake.connection({ nowMs: () => nowMs, after: () => () => undefined });
      const { forwardPort } = localForward();
      return Promise.resolve({ client, access: { ...access, ...tokenOf(canary), forwardPort } });
    };
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
    const first = await streams[0];
    expect(first).toMatchObject({ code: 200, text: expect.stringContaining('data: [{"name":"shop"}]') });
    expect(first?.headers["content-type"]).toBe("text/event-stream");
    console.interrupt();
    await Promise.allSettled(streams);
    expect(await console.ended).toBe(130);
  });
});

describe("history", () => {
  async function setUp(body: (query: URLSearchParams) => object) {
    const seen: URLSearchParams[] = [];
    const prometheus = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "/", "http://x");
      seen.push(searchParams);
      response.end(JSON.stringify(body(searchParams)));
    });
    await new Promise<void>((resolve) => prometheus.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void prometheus.close());
    const url = `http://u:${canary}@127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
    const console = await startConsole(shopCluster(), ["--via=none", `--prometheus-url=${url}`]);
    return { seen, console, read: await console.signIn() };
  }
  const path = shop.replace("decisions/v1", "console/v1/history");
  const hour = `${path}?from=2026-11-22T09:00:00Z&to=2026-11-22T10:00:00Z`;
  const labels = { namespace: "default", horizontalpodautoscaler: "shop" };

  test("series of kube-state-metrics on one raster; what is missing is null", async () => {
    const from = Date.parse("2026-11-22T09:00:00Z") / 1_000;
    const { seen, read } = await setUp(() => ({
      status: "success",
      data: {
        resultType: "matrix",
        result: [
          {
            metric: { __name__: "kube_horizontalpodautoscaler_status_current_replicas", ...labels },
            values: [
              [from, "3"],
              [from + 30, "5"],
            ],
          },
          {
            metric: {
              __name__: "kube_horizontalpodautoscaler_spec_target_metric",
              metric_name: "cpu",
              metric_target_type: "utilization",
              ...labels,
            },
            values: [[from, "60"]],
          },
          {
            metric: { __name__: "plimsoll_horizontalpodautoscaler_status_current_replicas", ...labels },
            values: [[from, "99"]],
          },
        ],
      },
    }));
    const page = parsed(await read(hour)) as HistoryPage;
    expect(page.times).toHaveLength(241);
    expect(page.series.map(({ kind, name, values }) => [kind, name, values.slice(0, 3)])).toEqual([
      ["current", "replicas", [3, null, 5]],
      ["target", "cpu, % of requests", [60, null, null]],
    ]);
    expect(seen[0]?.get("query")).toContain('horizontalpodautoscaler="shop"');
  });

  test("without series it says what to scrape; a failure says nothing of the password", async () => {
    const empty = await setUp(() => ({ status: "success", data: { resultType: "matrix", result: [] } }));
    expect(parsed(await empty.read(hour))).toMatchObject({
      series: [],
      notes: [expect.stringContaining("kube-state-metrics")],
    });
    const failing = await setUp(() => ({ status: "error", errorType: "bad_data", error: `no ${canary}` }));
    const got = await failing.read(hour);
    expect(got.code).toBe(503);
    expect(failing.console.output() + failing.console.errors()).not.toContain("canary");
  });

  test.each([
    ["?from=x&to=y", "the parameter from must be an instant"],
    ["?from=2026-11-22T10:00:00Z&to=2026-11-22T09:00:00Z", "the parameter from must be before"],
    ["?from=2020-11-22T10:00:00Z&to=2026-11-22T09:00:00Z", "at most 62 days"],
  ])("%s is refused", async (query, message) => {
    const { seen, read } = await setUp(() => ({}));
    const got = await read(`${path}${query}`);
    expect([got.code, got.text, seen]).toEqual([400, expect.stringContaining(message), []]);
  });
});
