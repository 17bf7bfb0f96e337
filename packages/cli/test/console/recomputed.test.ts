// What the console reads where no autoscaler answers: recomputed, with the user's rights, in the server's words.
import { decodeRecord } from "@plimsoll/core";
import type { FindingsPage } from "@plimsoll/decisions";
import { describe, expect, test } from "vitest";
import { putWorkload, shopCluster } from "../cluster/workload.ts";
import { startConsole } from "./client.ts";
import { parsed, shop, summary } from "./shop.ts";

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
    [`${summary}?continue=x`, 400, "the parameter continue is not of a page with this order"],
    [`${summary}?namespace=../x`, 400, "the parameter namespace is not the name of one"],
    [`${summary}?limit=1&limit=2`, 400, "the parameter limit is there twice"],
    [`${shop}?before=x`, 400, "the parameter before must be a time"],
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
    expect(own.checked).toEqual({ objects: 1, rules: 58 });
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
