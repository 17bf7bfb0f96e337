import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import type { SummaryPage, SummaryRow } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { createEventIds } from "../../src/server/event-ids.ts";
import { guardBy, row, served } from "./served.ts";

const path = "/apis/decisions/v1/summary";

async function page(url: string, query = "", headers: Record<string, string> = {}): Promise<SummaryPage> {
  const response = await fetch(`${url}${path}${query}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as SummaryPage;
}

function names({ items }: SummaryPage): readonly string[] {
  return items.map(({ namespace, name }) => `${namespace}/${name}`);
}

const mixed: readonly SummaryRow[] = [
  row("steady", { metrics: [{ name: "cpu", value: "60%", target: "60%", ratio: 1 }] }),
  row("within", {
    heldBy: "tolerance",
    metrics: [{ name: "cpu", value: "62%", target: "60%", ratio: 1.03 }],
    since: "2026-11-22T09:30:00.000Z",
  }),
  row("grows", {
    action: "scale",
    desired: 6,
    metrics: [{ name: "cpu", value: "120%", target: "60%", ratio: 2 }],
  }),
  row("waits", {
    heldBy: "stabilize",
    metrics: [{ name: "cpu", value: "30%", target: "60%", ratio: 0.5 }],
    since: "2026-11-22T09:59:00.000Z",
  }),
  row("full", {
    heldBy: "max",
    namespace: "pay",
    metrics: [{ name: "q", value: "9", target: "1", ratio: 9 }],
  }),
  row("blind", { heldBy: "failed", action: "none", decidedBy: null, proposed: null, metrics: [] }),
  row("off", { heldBy: "disabled", action: "none", decidedBy: null, metrics: [] }),
];

test("rows come by name, with the objects in each state counted", async () => {
  const { url, put } = await served();
  for (const one of mixed) put(one);
  const all = await page(url);
  expect(names(all)).toEqual([
    "default/blind",
    "default/grows",
    "default/off",
    "default/steady",
    "default/waits",
    "default/within",
    "pay/full",
  ]);
  expect(all).toMatchObject({
    total: 7,
    counts: { steady: 2, moving: 1, held: 1, limited: 1, failed: 1, disabled: 1 },
  });
  expect(all.items.find(({ name }) => name === "full")).toEqual(mixed[4]);
});

test.each([
  ["held", ["default/blind", "pay/full", "default/waits", "default/grows"]],
  ["ratio", ["pay/full", "default/grows", "default/within", "default/steady"]],
  ["since", ["default/waits", "default/within", "default/blind", "default/grows"]],
])("in the order %s, pages continue where the one before ended", async (sort, first) => {
  const { url, put } = await served();
  for (const one of mixed) put(one);
  const seen: string[] = [];
  let token: string | undefined = "";
  for (let pages = 0; token !== undefined && pages < 10; pages++) {
    const one: SummaryPage = await page(url, `?sort=${sort}&limit=2&continue=${token}`);
    expect(one.items.length).toBeLessThanOrEqual(2);
    seen.push(...names(one));
    token = one.continue;
  }
  expect(seen.slice(0, 4)).toEqual(first);
  expect([...seen].sort()).toEqual(names(await page(url)));
});

test("what was read is not sent again until there is another decision", async () => {
  const { url, put } = await served();
  put(row("shop"));
  const first = await fetch(`${url}${path}`);
  const etag = first.headers.get("etag") ?? "";
  const again = () => fetch(`${url}${path}`, { headers: { "If-None-Match": etag } });
  expect([(await again()).status, await (await again()).text()]).toEqual([304, ""]);
  put(row("shop", { at: "2026-11-22T10:00:15.000Z" }));
  expect((await again()).status).toBe(200);
});

test("decisions in another namespace change neither the ETag nor anything else of a page", async () => {
  const { url, put, rows } = await served({ ids: createEventIds() });
  put(row("shop"));
  const read = async (headers = {}) => {
    const response = await fetch(`${url}${path}?namespace=default`, { headers });
    return { code: response.status, etag: response.headers.get("etag") ?? "", text: await response.text() };
  };
  const first = await read();
  put(row("secret", { namespace: "pay" }));
  rows.drop("pay/secret");
  expect((await read({ "If-None-Match": first.etag })).code).toBe(304);
  const { lastEventId: one, ...before } = JSON.parse(first.text) as SummaryPage;
  const { lastEventId: other, ...after } = JSON.parse((await read()).text) as SummaryPage;
  expect(after).toEqual(before);
  // The id differs each time, whether something changed or not.
  expect(new Set([one, other, (JSON.parse((await read()).text) as SummaryPage).lastEventId]).size).toBe(3);
});

test.each([
  ["limit=0", "the parameter limit must be a whole number from 1 to 10000"],
  ["limit=1e9", "the parameter limit must be a whole number from 1 to 10000"],
  ["limit=10001", "the parameter limit must be a whole number from 1 to 10000"],
  ["sort=color", "the parameter sort must be one of name, held, ratio, since"],
  ["problem=maybe", "the parameter problem must be true or false"],
  ["namespace=..%2Fkube-system", "the parameter namespace is not the name of one"],
  ["continue=%00", "the parameter continue is not of a page with this order"],
  [
    `sort=ratio&continue=${Buffer.from('["name","0","a"]').toString("base64url")}`,
    "the parameter continue is not of a page with this order",
  ],
])("%s is refused", async (query, message) => {
  const { url } = await served();
  const response = await fetch(`${url}${path}?${query}`);
  expect([response.status, await response.json()]).toMatchObject([400, { kind: "Status", message }]);
});

test("who may list one namespace gets that one, and a message that says to name it", async () => {
  const guard = guardBy(
    (user, access) => "resourceAttributes" in access && access.resourceAttributes.namespace === user,
  );
  const { url, put } = await served({ guard });
  for (const one of mixed) put(one);
  const headers = { "X-User": "pay" };
  const own = await page(url, "?namespace=pay", headers);
  expect([names(own), own.total, own.counts.steady]).toEqual([["pay/full"], 1, 0]);
  const inPath = await fetch(`${url}/apis/explain.plimsoll.dev/v1/namespaces/pay/summary`, { headers });
  expect(names((await inPath.json()) as SummaryPage)).toEqual(["pay/full"]);
  for (const query of ["", "?namespace=default", "?namespace=pay&namespace=default"]) {
    const response = await fetch(`${url}${path}${query}`, { headers });
    const { items } = (await response.json()) as { items?: readonly { namespace: string }[] };
    expect([query, response.status, items?.some(({ namespace }) => namespace !== "pay")]).toEqual(
      query.startsWith("?namespace=pay") ? [query, 200, false] : [query, 403, undefined],
    );
  }
  // The path counts, whatever the query says besides.
  const crossed = await fetch(`${url}/apis/decisions/v1/namespaces/default/summary?namespace=pay`, {
    headers,
  });
  expect(crossed.status).toBe(403);
  const all = await fetch(`${url}${path}`, { headers });
  expect(await all.json()).toMatchObject({ message: expect.stringContaining("use a namespace") });
});

test("who may list one kind gets that kind", async () => {
  const guard = guardBy(
    (_, access) =>
      "resourceAttributes" in access && access.resourceAttributes.resource === "workloadautoscalers",
  );
  const { url, put } = await served({ guard });
  put(row("native"));
  put(row("own", { resource: "workloadautoscalers" }));
  expect(names(await page(url))).toEqual(["default/own"]);
});

function gzipped(url: string): Promise<{ readonly encoding: string | undefined; readonly bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { "Accept-Encoding": "gzip" }, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ encoding: response.headers["content-encoding"], bytes: Buffer.concat(parts) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

test("10,000 objects: 500 rows a page, all of them on request, a twentieth of it compressed", async () => {
  const { url, put } = await served();
  for (let n = 0; n < 10_000; n++) put(row(`object-${n}`, { namespace: `team-${n % 50}` }));
  expect((await page(url)).items).toHaveLength(500);
  const { encoding, bytes } = await gzipped(`${url}${path}?limit=10000`);
  const text = gunzipSync(bytes).toString();
  expect(encoding).toBe("gzip");
  expect((JSON.parse(text) as SummaryPage).items).toHaveLength(10_000);
  expect(text.length / bytes.length).toBeGreaterThan(10);
});

test("hostile names come out as the text that they are", async () => {
  const { url, put } = await served();
  const name = '<img onerror=x>"\u001b[31m\u202e\n';
  put(row(name, { note: `\u0000${"x".repeat(10_000)}` }));
  const response = await fetch(`${url}${path}`);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  const text = await response.text();
  expect(text).not.toContain("\u001b");
  expect((JSON.parse(text) as SummaryPage).items[0]?.name).toBe(name);
});
